import fc from 'fast-check';
import { expect, it } from 'vitest';
import { jsonArray } from './json-array.ts';

async function elements(text: string, size = 3): Promise<string[]> {
  async function* chunks() {
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }
  const read: string[] = [];
  for await (const record of jsonArray(chunks())) read.push(record.json());
  return read;
}

it('I7: keeps the text of each element', async () => {
  const kept = [
    '{ "id": 9007199254740993, "x": [1.0, -0] }',
    '"\\u0000, ]"',
    '1e400',
    '[]',
    'null',
    '"ä\\\\"',
  ];
  expect(await elements(`\ufeff [ ${kept.join(' ,\n')}\n]\n`)).toEqual(kept);
  expect(await elements('[]')).toEqual([]);
});

it('I7: yields what was written, however the text is cut into chunks', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.jsonValue()),
      fc.integer({ min: 1, max: 50 }),
      fc.nat(3),
      async (values, size, indent) => {
        const read = await elements(JSON.stringify(values, null, indent), size);
        expect(read.map((text) => JSON.parse(text))).toEqual(JSON.parse(JSON.stringify(values)));
      },
    ),
    { numRuns: 100 },
  );
});

it.each([
  ['[1,\n2', 'line 2: the array is not closed, so the file may be cut off'],
  ['[1,\n"a]', 'line 2: the array is not closed'],
  ['[1,\n{"a":2', 'line 2: the array is not closed'],
  ['', 'line 1 is not a JSON array: the file is empty'],
  [
    '{"items":[]}',
    "line 1 is not the start of a JSON array. To read an array inside an object: jq '.items' FILE",
  ],
  ['[1,,2]', 'line 1 has a comma too many in the array'],
  ['[1,\n]', 'line 2 has a comma too many in the array'],
  ['["a"]\n["b"]\n', 'line 2 has text behind the array. If each line is a JSON value, add --format jsonl'],
  ['[1,\n\n {"a":}, 3]', 'item 2 (line 3) is not JSON'],
  ['[{} {}]', 'item 1 (line 1) is not JSON'],
  ['[}, 1]', 'is not JSON'],
])('refuses %j and names the place', async (text, message) => {
  await expect(elements(text)).rejects.toThrow(message);
});
