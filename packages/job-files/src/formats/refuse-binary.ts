import { basename } from 'node:path';
import { EXIT, Failure } from '@macbatch/terminal';

/** Files that are often taken for text, by their first bytes, and how to convert them. */
const SIGNATURES: readonly (readonly [bytes: string, what: string, advice: string])[] = [
  ['PK\u0003\u0004', 'an Excel workbook or another zip archive', 'Save the sheet as CSV (UTF-8).'],
  ['\u00d0\u00cf\u0011\u00e0', 'an old Excel workbook', 'Save the sheet as CSV (UTF-8).'],
  ['PAR1', 'a Parquet file', 'Convert it to CSV or JSON lines, for example with DuckDB.'],
  ['SQLite format 3', 'an SQLite database', 'Export a table: sqlite3 -csv -header FILE "select …"'],
  ['%PDF-', 'a PDF document', 'Extract its text first.'],
  ['\u0028\u00b5\u002f\u00fd', 'compressed with zstd', 'Decompress it first: zstd -d FILE'],
  ['\u00fd7zXZ', 'compressed with xz', 'Decompress it first: xz -dk FILE'],
  ['BZh', 'compressed with bzip2', 'Decompress it first: bunzip2 -k FILE'],
];

/** Throws a `Failure` if the first bytes of a file are those of a well-known binary format. */
export function refuseBinary(name: string, head: Buffer): void {
  const start = head.toString('latin1', 0, 20);
  const found = SIGNATURES.find(([bytes]) => start.startsWith(bytes));
  if (found === undefined) return;
  const [, what, advice] = found;
  throw new Failure(EXIT.usage, `${basename(name)} is ${what}. ${advice}`);
}
