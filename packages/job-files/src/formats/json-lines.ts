import { constants } from 'node:buffer';
import { ndjsonLines } from '@macbatch/contract';
import type { InputRecord } from './input-record.ts';
import { jsonRecord, textRecord } from './json-record.ts';
import { utf8Chunks } from './utf8-chunks.ts';

/** The control plane limits the length of a line. This is the longest text that JavaScript can hold. */
const MAX_LINE_BYTES = constants.MAX_STRING_LENGTH;

/** Reads JSON lines. Blank lines are skipped but counted. */
export async function* jsonLines(
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<InputRecord, void, undefined> {
  for await (const { number, text } of ndjsonLines(utf8Chunks(bytes), MAX_LINE_BYTES))
    yield jsonRecord(text, `line ${number}`, `line-${number}`, number === 1 ? firstLineHint(text) : '');
}

/** Reads lines of text. Blank lines are skipped but counted. */
export async function* textLines(
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<InputRecord, void, undefined> {
  for await (const { number, text } of ndjsonLines(utf8Chunks(bytes), MAX_LINE_BYTES))
    yield textRecord(text, `line ${number}`, `line-${number}`);
}

function firstLineHint(text: string): string {
  const first = text.trim();
  if (first.startsWith('[')) return '. For a JSON array add --format json';
  return first.startsWith('{') ? '' : '. Add --format csv, tsv or lines if it is one of these';
}
