import { expect, it } from 'vitest';
import { compatibility, PROTOCOL_VERSION, protocolVersionOf } from './protocol-version.ts';

it.each([
  [PROTOCOL_VERSION, 'compatible'],
  [PROTOCOL_VERSION - 1, 'compatible'],
  [PROTOCOL_VERSION - 2, 'too_old'],
  [PROTOCOL_VERSION + 1, 'too_new'],
  [Number.NaN, 'too_old'],
])('version %s is %s', (theirs, expected) => {
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
])('the header %s tells %s', (header, version) => {
  expect(protocolVersionOf(header)).toBe(version);
});
