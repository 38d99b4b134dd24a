import { constants } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { type Line, LineProblem, ndjsonLines } from '@macbatch/contract';
import { messageOf, objectMembers, parseItem } from '@macbatch/core';
import { EXIT, Failure } from '@macbatch/terminal';

/** The control plane limits the length of a line. This is the longest text that JavaScript can hold. */
const MAX_LINE_BYTES = constants.MAX_STRING_LENGTH;

/**
 * Reads a JSONL file and yields the lines of a submission. Keeps a line `{"id": …, "payload": …}` as it is. Makes any
 * other JSON value the payload of an item; the item's id is the `id` member of the value, or `line-N`. A number as an
 * id is the text of the number as it is written. Keeps blank lines, so that line numbers in error messages are those
 * of the file.
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
  refuseOtherForms(value, number);
  const line = isRecord(value) ? recordLine(text, number) : wrapped(`"line-${number}"`, text);
  const parsed = parseItem(line);
  if (!parsed.ok) throw lineFailure(number, `${parsed.field ?? 'the item'} ${parsed.problem}`);
  return line;
}

/** Makes an item of a JSON object. */
function recordLine(text: string, number: number): string {
  const members = objectMembers(text);
  const ids = members.filter(({ name }) => name === 'id');
  if (ids.length > 1) throw lineFailure(number, 'id is given twice');
  const [id] = ids.map(({ value }) => value);
  const idText = id === undefined ? null : ownId(text.slice(id.start, id.end), number);
  if (members.every(({ name }) => name !== 'payload')) return wrapped(idText ?? `"line-${number}"`, text);
  return id === undefined ? text : `${text.slice(0, id.start)}${idText}${text.slice(id.end)}`;
}

function wrapped(idText: string, payload: string): string {
  return `{"id":${idText},"payload":${payload.trim()}}`;
}

function parse(text: string, number: number): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const isArray = number === 1 && text.trim() === '[';
    throw lineFailure(number, `is not JSON: ${messageOf(error)}${isArray ? `. ${ARRAY_HINT}` : ''}`);
  }
}

/** The JSON text of an id. A number beyond 2^53 would change if it were parsed. */
function ownId(text: string, number: number): string {
  if (text.startsWith('"')) return text;
  if (/^[-\d]/.test(text)) return `"${text}"`;
  throw lineFailure(number, `id is ${text.slice(0, 20)}, but must be a text or a number`);
}

const ARRAY_HINT = "Write one item per line: jq -c '.[]' FILE > items.jsonl";

/** Refuses the first line of a file in another form, which would otherwise become items that all fail. */
function refuseOtherForms(value: unknown, number: number): void {
  if (number !== 1) return;
  if (Array.isArray(value) && value.some((each) => isRecord(each) && !('role' in each)))
    throw lineFailure(number, `is an array of records. ${ARRAY_HINT}`);
  if (isRecord(value) && 'custom_id' in value && 'body' in value)
    throw lineFailure(
      number,
      "is a request of OpenAI's Batch API. Take its messages as the payload, and give the rest of its body as " +
        "--params: jq -c '{id: .custom_id, payload: {messages: .body.messages}}' FILE > items.jsonl",
    );
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function lineFailure(number: number, problem: string): Failure {
  return new Failure(EXIT.usage, `line ${number}${problem.startsWith('is ') ? ' ' : ': '}${problem}`);
}
