import { elements, isRecord, member } from '../json-value.ts';
import { parseReply } from './reply-json.ts';

/** Members of a delta that hold a piece of a longer text. */
const PIECES: ReadonlySet<string> = new Set([
  ...['content', 'text', 'refusal', 'arguments'],
  ...['reasoning', 'reasoning_content', 'thinking'],
]);

type Json = Readonly<Record<string, unknown>>;

/**
 * Joins a stream of server-sent events to one reply; `undefined` if the text is no such stream. Some servers and gateways
 * stream although they were not asked to. A stream that was cut has no finish reason, so its answer does not count.
 */
export function streamedReply(text: string): object | undefined {
  if (!/^\s*(?::|(?:event|id|data|retry):)/.test(text)) return undefined;
  const events = text
    .split(/(?:\r\n|\r|\n){2,}/)
    .map(dataOf)
    .filter((data) => data !== '' && data !== '[DONE]')
    .map(parseReply);
  // A line that was cut in the middle ends the stream.
  const end = events.findIndex((event) => !isRecord(event));
  const replies = (end === -1 ? events : events.slice(0, end)).filter(isRecord);
  const failed = replies.find((reply) => member(reply, 'error') !== undefined);
  if (failed !== undefined) return failed;
  if (replies.length === 0) return undefined;
  // The last count of tokens is the whole one.
  const last = Object.fromEntries(replies.flatMap((reply) => Object.entries(withoutNulls(reply))));
  return { ...last, choices: [choiceOf(replies)] };
}

/** The data of one event: its lines can have a name, an id and comments besides. */
function dataOf(event: string): string {
  return event
    .split(/\r\n|\r|\n/)
    .flatMap((line) => /^data: ?(.*)$/.exec(line)?.[1] ?? [])
    .join('\n')
    .trim();
}

function choiceOf(replies: readonly Json[]): Json {
  const choices = replies.flatMap((reply) => elements(member(reply, 'choices')).slice(0, 1)).filter(isRecord);
  const { delta, ...choice } = choices.reduce<Json>(joined, {});
  return isRecord(delta) ? { ...choice, message: { ...delta, ...messageOf(choice) } } : choice;
}

function messageOf(choice: Json): Json {
  const message = member(choice, 'message');
  return isRecord(message) ? message : {};
}

/** Adds a later part of an object: pieces of text and lists grow, other members are replaced. */
function joined(before: Json, part: Json): Json {
  const changed = Object.entries(withoutNulls(part)).map(([name, value]): [string, unknown] => [
    name,
    joinedValue(name, member(before, name), value),
  ]);
  return Object.fromEntries([...Object.entries(before), ...changed]);
}

function joinedValue(name: string, before: unknown, value: unknown): unknown {
  if (before === undefined) return name === 'tool_calls' ? joinedCalls([], value) : value;
  if (name === 'tool_calls') return joinedCalls(elements(before), value);
  if (isRecord(before) && isRecord(value)) return joined(before, value);
  if (Array.isArray(before) || Array.isArray(value)) return [...partsOf(before), ...partsOf(value)];
  return PIECES.has(name) && typeof before === 'string' && typeof value === 'string' ? before + value : value;
}

/** Each piece of a tool call names the place of its call. */
function joinedCalls(before: readonly unknown[], value: unknown): readonly unknown[] {
  const calls = [...before];
  for (const piece of elements(value)) {
    const place = member(piece, 'index');
    const at = calls.findIndex((call) => place !== undefined && member(call, 'index') === place);
    const call = calls[at];
    if (isRecord(call) && isRecord(piece)) calls[at] = joined(call, piece);
    else calls.push(piece);
  }
  return calls;
}

function partsOf(value: unknown): readonly unknown[] {
  return typeof value === 'string' ? [{ type: 'text', text: value }] : elements(value);
}

function withoutNulls(part: Json): Json {
  return Object.fromEntries(Object.entries(part).filter(([, value]) => value !== null));
}
