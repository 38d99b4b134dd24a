import { createReadStream } from 'node:fs';
import { type Line, LineProblem, ndjsonLines } from '@macbatch/contract';
import { messageOf, parseItem } from '@macbatch/core';
import { EXIT, Failure } from '@macbatch/terminal';

const MAX_LINE_BYTES = 16 * 1024 * 1024;

/**
 * Reads a JSONL file and yields the lines of a submission. Keeps a line `{"id": …, "payload": …}` as it is. Makes any
 * other JSON value the payload of an item; the item's id is the `id` member of the value, or `line-N`. Keeps blank
 * lines, so that line numbers in error messages are those of the file.
 */
export async function* itemLines(path: string): AsyncGenerator<string, void, undefined> {
  let nextNumber = 1;
  for await (const { number, text } of linesOf(path)) {
    for (; nextNumber < number; nextNumber += 1) yield '';
    nextNumber = number + 1;
    yield itemLine(text, number);
  }
}

async function* linesOf(path: string): AsyncGenerator<Line, void, undefined> {
  try {
    yield* ndjsonLines(createReadStream(path), MAX_LINE_BYTES);
  } catch (error) {
    throw error instanceof LineProblem ? new Failure(EXIT.usage, error.message) : error;
  }
}

/** Makes an item of one line. Throws a `Failure` that names the line. */
function itemLine(text: string, number: number): string {
  const value = parse(text, number);
  const isRecord = typeof value === 'object' && value !== null && !Array.isArray(value);
  const line =
    isRecord && 'payload' in value
      ? text
      : `{"id":${JSON.stringify(ownId(value) ?? `line-${number}`)},"payload":${text.trim()}}`;
  const parsed = parseItem(line);
  if (!parsed.ok) {
    throw new Failure(
      EXIT.usage,
      `line ${number}: ${parsed.field === null ? 'the item' : parsed.field} ${parsed.problem}`,
    );
  }
  return line;
}

function parse(text: string, number: number): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Failure(EXIT.usage, `line ${number} is not JSON: ${messageOf(error)}`);
  }
}

function ownId(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const id: unknown = Reflect.get(value, 'id');
  return typeof id === 'string' ? id : typeof id === 'number' ? String(id) : undefined;
}
