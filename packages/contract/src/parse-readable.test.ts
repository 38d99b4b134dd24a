import { expect, it } from 'vitest';
import { z } from 'zod';
import { parseReadable } from './parse-readable.ts';

const Schema = z.strictObject({
  name: z.string(),
  numbers: z.array(z.strictObject({ n: z.int() })).max(20),
  texts: z.array(z.string()).min(1).optional(),
});

it('A2: leaves out unreadable entries and names them', () => {
  const value = { name: 'a', numbers: [{ n: 1 }, { n: 'two' }, null, { n: 4 }] };
  const parsed = parseReadable(Schema, value);
  expect(parsed).toMatchObject({ success: true, data: { name: 'a', numbers: [{ n: 1 }, { n: 4 }] } });
  expect(parsed.success && parsed.unreadable.map(({ path }) => path)).toEqual(['numbers[1].n', 'numbers[2]']);
  // The value itself does not change.
  expect(value.numbers).toHaveLength(4);
});

it('A2: returns the same as the schema when every entry is readable', () => {
  const value = { name: 'a', numbers: [{ n: 1 }] };
  expect(parseReadable(Schema, value)).toEqual({ success: true, data: value, unreadable: [] });
});

it.each([
  ['a missing field', { numbers: [] }],
  ['a wrong field', { name: 1, numbers: [{ n: 'x' }] }],
  ['an array with too many entries', { name: 'a', numbers: Array.from({ length: 21 }, () => ({ n: 1 })) }],
  ['an array that would have too few entries', { name: 'a', numbers: [], texts: [1] }],
  ['an unknown field', { name: 'a', numbers: [], other: 1 }],
  ['no object', 'text'],
])('A3: is an error for %s', (_what, value) => {
  expect(parseReadable(Schema, value).success).toBe(false);
});

it('A3: leaves out entries only of the listed fields', () => {
  const value = { name: 'a', numbers: [{ n: 'x' }], texts: ['a', 1] };
  expect(parseReadable(Schema, value, ['texts']).success).toBe(false);
  expect(parseReadable(Schema, { ...value, numbers: [] }, ['texts'])).toMatchObject({
    success: true,
    data: { texts: ['a'] },
  });
});

it('A2: keeps the order of the readable entries', () => {
  const numbers = [1, 'a', 2, null, 3].map((n) => ({ n }));
  const parsed = parseReadable(Schema, { name: 'a', numbers });
  expect(parsed.success && parsed.data.numbers.map(({ n }) => n)).toEqual([1, 2, 3]);
});
