import { parseJson } from '../json-value.ts';

/** Python's spellings of numbers that JSON does not have. Matched only outside of strings. */
const NOT_NUMBERS = /-?\bInfinity\b|\bNaN\b/g;

/** Parses the JSON of a model server, read as `replyText` reads it; `undefined` if the text is not JSON. */
export function parseReply(text: string): unknown {
  const parsed = parseJson(text);
  return parsed === undefined ? parseJson(withoutNotNumbers(text)) : parsed;
}

/**
 * The JSON text in the reply of a model server; `undefined` if the text is not JSON. Servers in Python write `NaN` and
 * `-Infinity`, mostly for log probabilities. They become null, as in the servers that keep to JSON.
 */
export function replyText(text: string): string | undefined {
  return [text, withoutNotNumbers(text)].find((each) => parseJson(each) !== undefined);
}

/** Replaces the spellings by null; empty if there are none. */
function withoutNotNumbers(text: string): string {
  if (!/Infinity|NaN/.test(text)) return '';
  const pieces: string[] = [];
  for (let at = 0; at < text.length; ) {
    const quoteAt = text.indexOf('"', at);
    const outsideEnd = quoteAt === -1 ? text.length : quoteAt;
    pieces.push(text.slice(at, outsideEnd).replace(NOT_NUMBERS, 'null'));
    at = quoteAt === -1 ? text.length : stringEnd(text, quoteAt);
    pieces.push(text.slice(outsideEnd, at));
  }
  return pieces.join('');
}

/** The position after the string that begins at `start`. */
function stringEnd(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '"') return at + 1;
  }
  return text.length;
}
