/**
 * The position of a value inside a JSON text. Keeping the slice preserves a payload exactly:
 * parsing and printing it would change numbers beyond 2^53, escapes and key order.
 *
 * The functions of this file expect a text that `JSON.parse` accepts. They find the ends of values and
 * do not validate.
 */
export interface Slice {
  readonly start: number;
  readonly end: number;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

function skipSpace(text: string, at: number): number {
  let i = at;
  for (;;) {
    const c = text.charCodeAt(i);
    if (c !== 0x20 && c !== 0x0a && c !== 0x0d && c !== 0x09) return i;
    i += 1;
  }
}

/** The position after the string that starts at `at`. */
export function endOfString(text: string, at: number): number {
  let close = at;
  for (;;) {
    close = text.indexOf('"', close + 1);
    if (close === -1) throw new SyntaxError('unterminated string: the text is not JSON');
    let backslashes = 0;
    while (text.charCodeAt(close - 1 - backslashes) === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return close + 1;
  }
}

/** The position after the value that starts at `at`. Throws if there is no value. */
function endOfValue(text: string, at: number): number {
  const end = scanValue(text, at);
  if (end === at) throw new SyntaxError('missing value: the text is not JSON');
  return end;
}

function scanValue(text: string, at: number): number {
  let depth = 0;
  let i = at;
  while (i < text.length) {
    const c = text.charCodeAt(i);
    if (c === QUOTE) {
      i = endOfString(text, i);
      if (depth === 0) return i;
      continue;
    }
    if (c === 0x7b || c === 0x5b) {
      depth += 1;
    } else if (c === 0x7d || c === 0x5d) {
      if (depth === 0) return i; // a scalar that ends where its container closes
      depth -= 1;
      if (depth === 0) return i + 1;
    } else if (depth === 0 && (c === 0x2c || c === 0x20 || c === 0x0a || c === 0x0d || c === 0x09)) {
      return i;
    }
    i += 1;
  }
  return i;
}

/** The members of the object at `start`: name and position of each value, in order. */
export function objectMembers(text: string, start = 0): { readonly name: string; readonly value: Slice }[] {
  const members: { name: string; value: Slice }[] = [];
  let i = skipSpace(text, skipSpace(text, start) + 1);
  while (text.charCodeAt(i) === QUOTE) {
    const nameEnd = endOfString(text, i);
    const name = String(JSON.parse(text.slice(i, nameEnd)));
    const valueStart = skipSpace(text, skipSpace(text, nameEnd) + 1);
    const valueEnd = endOfValue(text, valueStart);
    members.push({ name, value: { start: valueStart, end: valueEnd } });
    i = skipSpace(text, valueEnd);
    if (text.charCodeAt(i) === 0x2c) i = skipSpace(text, i + 1);
  }
  return members;
}

/** The exact texts of an object's members by name. Of members with one name, the last. */
export function memberTexts(text: string): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(
    objectMembers(text).map(({ name, value }) => [name, text.slice(value.start, value.end)]),
  );
}

/** Yields the positions of the elements of the array at `start`. */
export function* arrayElements(text: string, start = 0): Generator<Slice, void, undefined> {
  let i = skipSpace(text, skipSpace(text, start) + 1);
  while (i < text.length && text.charCodeAt(i) !== 0x5d) {
    const end = endOfValue(text, i);
    yield { start: i, end };
    i = skipSpace(text, end);
    if (text.charCodeAt(i) === 0x2c) i = skipSpace(text, i + 1);
  }
}
