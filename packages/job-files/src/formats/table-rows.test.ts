import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { TableDialect } from './format.ts';
import { tableRows } from './table-rows.ts';

const CSV: TableDialect = { delimiter: ',', oldMac: false };

/** Yields the text in chunks of this many bytes. */
async function* chunks(text: string, size = 7): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function rows(text: string, dialect = CSV, size = 7): Promise<string[][]> {
  const read: string[][] = [];
  for await (const row of tableRows(chunks(text, size), dialect))
    read.push([row.place, ...row.columns().map((name) => row.text(name) ?? '')]);
  return read;
}

it('reads quoted cells, line ends of Windows, a byte order mark and blank lines, and knows the line of each row', async () => {
  const text = '\ufeff"id",text\r\n1,"a ""b"", c"\r\n\r\n2,"two\r\nlines"\r\n3,x\n4,007\r\n';
  expect(await rows(text)).toEqual([
    ['line 2', '1', 'a "b", c'],
    ['line 4', '2', 'two\r\nlines'],
    ['line 6', '3', 'x'],
    ['line 7', '4', '007'],
  ]);
});

it('reads semicolons, tabs with quotes inside cells, and line ends of old Macs', async () => {
  expect(await rows('a;b\n1,5;x\n', { delimiter: ';', oldMac: false })).toEqual([['line 2', '1,5', 'x']]);
  expect(await rows('a\tb\n5" pipe\tx\n', { delimiter: '\t', oldMac: false })).toEqual([
    ['line 2', '5" pipe', 'x'],
  ]);
  expect(await rows('a,b\r1,2\r3,4\r', { delimiter: ',', oldMac: true })).toEqual([
    ['line 2', '1', '2'],
    ['line 3', '3', '4'],
  ]);
});

it('names a column without a name by its number, as of the index that pandas writes', async () => {
  const read = tableRows(chunks(',a\n0,x\n'), CSV);
  expect((await read.next()).value?.columns()).toEqual(['column_1', 'a']);
});

it.each([
  ['a,b\n1,2\n3\n', 'line 3 has 1 cell, but the header has 2'],
  [
    'a,b\n1,"2\r\n2"\n\n3,4,5\n',
    'line 5 has 3 cells, but the header has 2. A cell that contains "," needs quotes',
  ],
  ['a,b\n1,2\n"3\r\n",4\n5,"6\n7,8\n', 'line 5 opens a quote that is never closed'],
  ['a,b\n1,x"2\n', 'line 2 has a quote inside a cell without quotes around it'],
  ['a,b\n1,2\n3,"x"2\n', 'line 3 has text behind the closing quote of a cell'],
  ['"a,b\n1,2\n', 'line 1 opens a quote that is never closed'],
  ['a,b,a\n1,2,3\n', 'line 1: the header names two columns "a": the 1st and the 3rd'],
  ['a,b\n', 'line 1 is a header, and no row follows it'],
  ['', 'line 1: the file is empty'],
  ['\n\n', 'line 1 is empty, like all other lines'],
  ['a,b\n1,\0\n', 'line 2 contains a NUL byte'],
])('refuses %j and names the line', async (text, message) => {
  await expect(rows(text)).rejects.toThrow(message);
  await expect(rows(text, CSV, 1)).rejects.toThrow(message);
});

it('I7: reads a cell of 10 MB', async () => {
  const cell = `äß"\n${'x'.repeat(100_000)}`.repeat(100);
  const [row] = await rows(`a,b\n1,"${cell.replaceAll('"', '""')}"\n`, CSV, 64 * 1024);
  expect(row?.[2] === cell).toBe(true);
});

it('I7: reads the same cells that csv-stringify wrote', async () => {
  const cell = fc.string({
    unit: fc.constantFrom('a', ' ', '"', ',', ';', '\n', '\r\n', '\t', "'", '=', 'ü', '😀', '1'),
  });
  const table = fc
    .tuple(
      fc.uniqueArray(fc.stringMatching(/^[a-z ]*[a-z]$/), {
        minLength: 2,
        maxLength: 5,
        selector: (name) => name.trim(),
      }),
      fc.nat(4),
    )
    .chain(([names, count]) =>
      fc.record({
        names: fc.constant(names),
        cells: fc.array(fc.array(cell, { minLength: names.length, maxLength: names.length }), {
          minLength: 1,
          maxLength: count + 1,
        }),
        end: fc.constantFrom<'unix' | 'windows'>('unix', 'windows'),
        bom: fc.boolean(),
        delimiter: fc.constantFrom(',' as const, ';' as const, '\t' as const),
        size: fc.integer({ min: 1, max: 30 }),
      }),
    );
  await fc.assert(
    fc.asyncProperty(table, async ({ names, cells, end, bom, delimiter, size }) => {
      const text = stringify([names, ...cells], {
        record_delimiter: end,
        bom,
        delimiter,
        quoted_match: /[\r\n]/,
      });
      const read = await rows(text, { delimiter, oldMac: false }, size);
      expect(read.map(([, ...row]) => row)).toEqual(cells);
    }),
    { numRuns: 200 },
  );
});
