import { createReadStream } from 'node:fs';
import { type Line, LineProblem, ndjsonLines } from '@macbatch/contract';
import { messageOf, parseItem } from '@macbatch/core';
import { EXIT, Failure } from '@macbatch/terminal';

const MAX_LINE_BYTES = 16 * 1024 * 1024;

/**
 * The items of a JSONL file as lines that the control plane takes. A line `{"id": …, "payload": …}` is
 * sent as it stands; any other JSON value is a payload as a whole, with its own `id` member as the item's
 * id, or `line-N`. Blank lines are passed on, so that line numbers stay the file's.
 */
export async function* itemLines(path: string): AsyncGenerator<string, void, undefined> {
  let expected = 1;
  for await (const { number, text } of linesOf(path)) {
    for (; expected < number; expected += 1) yield '';
    expected = number + 1;
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

/** One line of the file as an item. Throws a `Failure` that names the line. */
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
