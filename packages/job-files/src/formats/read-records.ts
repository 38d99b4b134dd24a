import type { FoundFormat } from './format.ts';
import type { InputRecord } from './input-record.ts';
import { jsonArray } from './json-array.ts';
import { jsonLines, textLines } from './json-lines.ts';
import { tableRows } from './table-rows.ts';

/** Reads the records of a file in memory that does not grow with the file. Throws a `Failure` that names the line. */
export function readRecords(
  bytes: AsyncIterable<Uint8Array>,
  format: FoundFormat,
): AsyncGenerator<InputRecord, void, undefined> {
  switch (format.kind) {
    case 'jsonl':
      return jsonLines(bytes);
    case 'json':
      return jsonArray(bytes);
    case 'lines':
      return textLines(bytes);
    case 'csv':
    case 'tsv':
      return tableRows(bytes, format);
  }
}
