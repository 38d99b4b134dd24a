import { basename, extname } from 'node:path';
import { EXIT, Failure } from '@macbatch/terminal';
import type { FoundFormat, InputFormat, TableDialect } from './format.ts';
import { refuseBinary } from './refuse-binary.ts';

const BY_EXTENSION: Readonly<Record<string, InputFormat>> = {
  '.jsonl': 'jsonl',
  '.ndjson': 'jsonl',
  '.csv': 'csv',
  '.tsv': 'tsv',
  '.tab': 'tsv',
  '.txt': 'lines',
};

/**
 * Finds the format of a file: the given one, else by its extension, else by its first bytes. Throws a `Failure` when
 * the bytes do not tell.
 */
export function detectFormat(name: string, head: Buffer, given: InputFormat | null): FoundFormat {
  refuseBinary(name, head);
  const text = head.toString('utf8').replace(/^\ufeff/, '');
  const kind = given ?? BY_EXTENSION[extensionOf(name)] ?? byContent(text);
  if (kind === null)
    throw new Failure(
      EXIT.usage,
      `The format of ${basename(name)} is not clear from its name or its first lines. Add --format csv, tsv, jsonl, json or lines.`,
    );
  return kind === 'csv' || kind === 'tsv' ? { kind, ...dialectOf(kind, text) } : { kind };
}

function extensionOf(name: string): string {
  return extname(name.toLowerCase().replace(/\.gz$/, ''));
}

function byContent(text: string): InputFormat | null {
  const lines = text.split(/\r?\n|\r/).filter((line) => line.trim() !== '');
  const first = lines[0]?.trim() ?? '';
  if (first.startsWith('[')) return isJson(first) && lines.length > 1 ? 'jsonl' : 'json';
  if (isJson(first) || first === '' || first.startsWith('{')) return 'jsonl';
  // The last line of the head may be cut.
  const [header = '', ...rows] = lines.slice(0, lines.length > 2 ? -1 : undefined);
  for (const [delimiter, format] of [
    ['\t', 'tsv'],
    [',', 'csv'],
    [';', 'csv'],
  ] as const) {
    const cells = cellCount(header, delimiter);
    if (cells > 1 && rows.length > 0 && rows.every((row) => cellCount(row, delimiter) === cells))
      return format;
  }
  return null;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function dialectOf(kind: 'csv' | 'tsv', text: string): TableDialect {
  const oldMac = text.includes('\r') && !text.includes('\n');
  if (kind === 'tsv') return { delimiter: '\t', oldMac };
  const header = text.split(/[\r\n]/, 1)[0] ?? '';
  const semicolons = cellCount(header, ',') === 1 && cellCount(header, ';') > 1;
  return { delimiter: semicolons ? ';' : ',', oldMac };
}

/** Counts the cells of a line. A delimiter between quotes does not count. */
function cellCount(line: string, delimiter: string): number {
  return line.replaceAll(/"[^"]*"/g, '').split(delimiter).length;
}
