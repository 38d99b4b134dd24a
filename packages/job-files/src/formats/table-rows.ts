import { messageOf } from '@macbatch/core';
import { type CsvError, parse } from 'csv-parse';
import type { TableDialect } from './format.ts';
import type { InputRecord } from './input-record.ts';
import { placeFailure } from './place.ts';
import { readHeader, type TableHeader } from './table-header.ts';
import { through } from './through.ts';
import { utf8Chunks } from './utf8-chunks.ts';

/** A longer row is taken for a quote that is never closed: without a limit, the whole file would be read into memory. */
const MAX_ROW_BYTES = 128 * 1024 * 1024;

/** Reads a table (RFC 4180). Throws a `Failure` that names the line. */
export async function* tableRows(
  bytes: AsyncIterable<Uint8Array>,
  dialect: TableDialect,
): AsyncGenerator<InputRecord, void, undefined> {
  let header: TableHeader | null = null;
  let rows = 0;
  let hasLines = false;
  for await (const { cells, line } of rawRows(bytes, dialect)) {
    hasLines = true;
    if (cells.length === 1 && cells[0] === '') continue;
    if (header === null) {
      header = readHeader(cells, line);
      continue;
    }
    if (cells.length !== header.names.length) throw ragged(cells.length, header.names.length, line, dialect);
    rows += 1;
    yield new TableRow(header, cells, line);
  }
  if (header === null)
    throw placeFailure(
      'line 1',
      hasLines ? 'is empty, like all other lines' : 'the file is empty, so it has no header',
    );
  if (rows === 0) throw placeFailure('line 1', 'is a header, and no row follows it');
}

interface RawRow {
  readonly cells: readonly string[];
  /** The line where the row begins. */
  readonly line: number;
}

async function* rawRows(
  bytes: AsyncIterable<Uint8Array>,
  dialect: TableDialect,
): AsyncGenerator<RawRow, void, undefined> {
  let problem: CsvError | null = null;
  async function* untilProblem() {
    for await (const chunk of utf8Chunks(bytes)) {
      yield chunk;
      if (problem !== null) return;
    }
  }
  const parser = through(
    untilProblem(),
    parse({
      bom: true,
      delimiter: dialect.delimiter,
      // Without a list, the parser takes the first line's end for that of all lines.
      record_delimiter: dialect.oldMac ? ['\r'] : ['\r\n', '\n'],
      relax_column_count: true,
      // TSV is often written without quotes, and then contains any.
      relax_quotes: dialect.delimiter === '\t',
      max_record_size: MAX_ROW_BYTES,
      // Otherwise the parser drops the valid rows before an invalid one, which are counted to find its line.
      skip_records_with_error: true,
      on_skip: (error) => {
        problem ??= error ?? null;
      },
    }),
  ) as AsyncIterable<readonly string[]>;
  const throwIfInvalid = (row: number) => {
    if (problem !== null && row >= Number(problem['records']))
      throw placeFailure(`line ${line}`, csvProblem(problem));
  };
  // The parser's own count of lines is wrong for line ends of Windows in quotes.
  let line = 1;
  let row = 0;
  for await (const cells of parser) {
    throwIfInvalid(row);
    yield { cells, line };
    line += 1;
    for (const cell of cells) if (cell.includes('\n')) line += cell.split('\n').length - 1;
    row += 1;
  }
  throwIfInvalid(row);
}

function csvProblem(error: CsvError): string {
  switch (error.code) {
    case 'CSV_QUOTE_NOT_CLOSED':
      return 'opens a quote that is never closed';
    case 'CSV_MAX_RECORD_SIZE':
      return `is the start of a row of more than ${MAX_ROW_BYTES} bytes. A quote that opens there may never be closed`;
    case 'INVALID_OPENING_QUOTE':
      return 'has a quote inside a cell without quotes around it. Write "a ""b"" c" for a "b" c';
    case 'CSV_INVALID_CLOSING_QUOTE':
      return 'has text behind the closing quote of a cell. Write "a ""b"" c" for a "b" c';
    default:
      return messageOf(error);
  }
}

function ragged(cells: number, columns: number, line: number, { delimiter }: TableDialect): Error {
  const hint = delimiter === '\t' ? '' : `. A cell that contains "${delimiter}" needs quotes around it`;
  return placeFailure(
    `line ${line}`,
    `has ${cells} ${cells === 1 ? 'cell' : 'cells'}, but the header has ${columns}${cells > columns ? hint : ''}`,
  );
}

class TableRow implements InputRecord {
  readonly isRow = true;
  readonly #header: TableHeader;
  readonly #cells: readonly string[];
  readonly #line: number;

  constructor(header: TableHeader, cells: readonly string[], line: number) {
    this.#header = header;
    this.#cells = cells;
    this.#line = line;
  }

  get place(): string {
    return `line ${this.#line}`;
  }

  get defaultId(): string {
    return `line-${this.#line}`;
  }

  json(): string {
    const members = this.#header.names.map(
      (name, n) => `${JSON.stringify(name)}:${JSON.stringify(this.#cells[n])}`,
    );
    return `{${members.join(',')}}`;
  }

  columns(): readonly string[] {
    return this.#header.names;
  }

  value(column: string): string | null {
    const text = this.text(column);
    return text === null ? null : JSON.stringify(text);
  }

  text(column: string): string | null {
    const n = this.#header.positions.get(column);
    return n === undefined ? null : (this.#cells[n] ?? null);
  }
}
