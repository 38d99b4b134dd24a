import { expect, it } from 'vitest';
import { API_VERSION, apiVersionOf, compatibility } from './api-version.ts';

it.each([
  [API_VERSION, 'compatible'],
  [API_VERSION - 1, 'compatible'],
  [API_VERSION - 2, 'too_old'],
  [API_VERSION + 1, 'too_new'],
  [Number.NaN, 'too_old'],
])('compatibility of version %s is %s', (theirs, expected) => {
  expect(compatibility(theirs)).toBe(expected);
});

it.each([
  [undefined, 1],
  [null, 1],
  ['2', 2],
  ['', Number.NaN],
  ['two', Number.NaN],
  ['-1', Number.NaN],
  ['1e9', Number.NaN],
])('apiVersionOf parses the header %s as %s', (header, version) => {
  expect(apiVersionOf(header)).toBe(version);
});
