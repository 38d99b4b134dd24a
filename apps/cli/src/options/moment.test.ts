import { expect, it } from 'vitest';
import { parseMoment } from './moment.ts';

const NOW = new Date(2026, 10, 30, 13, 40);

it.each([
  ['90m', new Date(2026, 10, 30, 15, 10)],
  ['2d', new Date(2026, 11, 2, 13, 40)],
  ['18:00', new Date(2026, 10, 30, 18, 0)],
  ['8:05', new Date(2026, 11, 1, 8, 5)],
  ['13:40', new Date(2026, 11, 1, 13, 40)],
  ['2026-12-24T18:00', new Date(2026, 11, 24, 18, 0)],
  ['2026-12-24T18:00:00Z', new Date(Date.UTC(2026, 11, 24, 18, 0))],
])('reads %s', (text, expected) => {
  expect(parseMoment('--until', text, NOW)).toEqual(expected);
});

it.each(['', 'soon', '24:00', '12:60', '0h', '5', '2026-13-01T00:00', '18'])('refuses %j', (text) => {
  expect(() => parseMoment('--until', text, NOW)).toThrow(/--until must be/);
});
