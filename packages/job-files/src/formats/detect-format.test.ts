import { expect, it } from 'vitest';
import { detectFormat } from './detect-format.ts';
import { formatText } from './format.ts';

const detected = (name: string, head: string | Buffer) =>
  formatText(detectFormat(name, Buffer.from(head), null));

it.each([
  ['a.jsonl', 'x', 'JSON lines'],
  ['a.NDJSON.gz', 'x', 'JSON lines'],
  ['a.csv', 'x', 'CSV'],
  ['a.csv', 'id;text\n1;a,b\n', 'CSV with semicolons'],
  ['a.csv', '"a;b",c\n', 'CSV'],
  ['a.csv.gz', 'x', 'CSV'],
  ['a.tab', 'x', 'TSV'],
  ['a.txt', 'x', 'lines of text'],
  ['a.json', '\ufeff\n  [\n{"a":1}]', 'a JSON array'],
  ['a.json', '{"a":1}\n{"a":2}\n', 'JSON lines'],
  ['a.json', '[1]\n[2]\n', 'JSON lines'],
  ['a.json', '[{"a":1},[2]]', 'a JSON array'],
  ['a', '{"a":', 'JSON lines'],
  ['a', '"text"\n', 'JSON lines'],
  ['a', '', 'JSON lines'],
  ['a.data', 'id,text\n1,"a, b"\n', 'CSV'],
  ['a.data', 'id\ttext\n1\ta, b\n', 'TSV'],
])('%s with %j', (name, head, format) => {
  expect(detected(name, head)).toBe(format);
});

it.each([
  ['notes', 'Dear all,\nthis is text.\n', 'The format of notes is not clear'],
  ['words', 'one\ntwo\n', 'Add --format csv, tsv, jsonl, json or lines.'],
  [
    'book.xlsx',
    'PK\u0003\u0004',
    'book.xlsx is an Excel workbook or another zip archive. Save the sheet as CSV',
  ],
  ['renamed.csv', 'PK\u0003\u0004', 'is an Excel workbook'],
  [
    'a.jsonl.zst',
    Buffer.from([0x28, 0xb5, 0x2f, 0xfd]),
    'is compressed with zstd. Decompress it first: zstd -d FILE',
  ],
  ['a.parquet', 'PAR1', 'is a Parquet file'],
])('refuses %s', (name, head, message) => {
  expect(() => detected(name, head)).toThrow(message);
});

it('takes the given format', () => {
  expect(detectFormat('a.csv', Buffer.from('x'), 'lines')).toEqual({ kind: 'lines' });
});
