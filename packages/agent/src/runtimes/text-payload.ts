import { isRecord, kindOf, member } from './json-value.ts';
import { RunFailure } from './runtime.ts';

/**
 * Reads the text of a payload: the payload itself if it is a string, else its first member of these names. Ignores
 * other members. Throws a permanent `RunFailure` when there is no text, or only white space.
 */
export function textOf(payload: unknown, names: readonly string[] = ['text']): string {
  if (typeof payload === 'string') return notBlank(payload, 'payload');
  const expected = `a string ${names.map((name) => `"${name}"`).join(' or ')}`;
  if (!isRecord(payload)) {
    refuse(`payload: expected a string or an object with ${expected}, got ${kindOf(payload)}`);
  }
  const name = names.find((one) => member(payload, one) !== undefined);
  if (name === undefined) refuse(`payload: expected ${expected} in the object`);
  const text = member(payload, name);
  if (typeof text !== 'string') refuse(`payload.${name}: expected a string, got ${kindOf(text)}`);
  return notBlank(text, `payload.${name}`);
}

function notBlank(text: string, field: string): string {
  if (text.trim() === '') throw new RunFailure('permanent', 'empty_text', `${field}: the text is empty`);
  return text;
}

function refuse(message: string): never {
  throw new RunFailure('permanent', 'invalid_payload', message);
}
