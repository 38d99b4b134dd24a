import { endOfString } from './json-slice.ts';

/** Deepest nesting that canonical JSON is computed for, because that recurses once per level. */
const MAX_DEPTH = 500;

/**
 * Whether canonical JSON can represent this text without loss. Parsing loses
 * numbers that a double cannot represent, negative zero, repeated members of
 * an object, and strings with lone surrogates. Also false for a text that is nested
 * deeper than `MAX_DEPTH`. Expects a text that `JSON.parse` accepts.
 *
 * Reads the text once and does not recurse, so that long and deep payloads cost no more than others.
 */
export function isLosslessJson(text: string): boolean {
  /** The member names of each open object; null for an open array. */
  const open: (Set<string> | null)[] = [];
  let nameIsNext = false;
  for (let i = 0; i < text.length; ) {
    switch (text[i]) {
      case '"': {
        const end = endOfString(text, i);
        const value = decodedString(text.slice(i, end));
        if (!value.isWellFormed()) return false;
        const names = open.at(-1);
        if (nameIsNext && names != null) {
          if (names.has(value)) return false;
          names.add(value);
        }
        nameIsNext = false;
        i = end;
        continue;
      }
      case '{':
      case '[':
        if (open.length === MAX_DEPTH) return false;
        open.push(text[i] === '{' ? new Set() : null);
        nameIsNext = text[i] === '{';
        break;
      case '}':
      case ']':
        open.pop();
        nameIsNext = false;
        break;
      case ',':
        nameIsNext = open.at(-1) != null;
        break;
      default:
        if (NUMBER_START.test(text[i] ?? '')) {
          if (!isLosslessNumber(text, i)) return false;
          i = NUMBER.lastIndex;
          continue;
        }
    }
    i += 1;
  }
  return true;
}

/** The value of a string literal. Most strings have no escapes and need no parsing. */
function decodedString(literal: string): string {
  return literal.includes('\\') ? String(JSON.parse(literal)) : literal.slice(1, -1);
}

const NUMBER_START = /[-0-9]/;

const NUMBER = /(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?/y;

/** A number as decimal digits without leading or trailing zeros, with the power of ten of the last digit. */
function decimal(
  text: string,
  start: number,
): { readonly negative: boolean; readonly digits: string; readonly exponent: number } {
  NUMBER.lastIndex = start;
  const [, sign = '', whole = '', fraction = '', power = '0'] = NUMBER.exec(text) ?? [];
  const leading = (whole + fraction).replace(/^0+/, '');
  let end = leading.length;
  while (leading[end - 1] === '0') end -= 1;
  const digits = leading.slice(0, end);
  return {
    negative: sign === '-',
    digits,
    exponent: Number(power) - fraction.length + (leading.length - digits.length),
  };
}

/** Whether the number, parsed as a double, prints as the same decimal value. */
function isLosslessNumber(text: string, start: number): boolean {
  const written = decimal(text, start);
  if (written.digits === '') return !written.negative;
  NUMBER.lastIndex = start;
  const value = Number(NUMBER.exec(text)?.[0]);
  if (!Number.isFinite(value)) return false;
  const end = NUMBER.lastIndex;
  const printed = decimal(String(value), 0);
  NUMBER.lastIndex = end;
  return written.digits === printed.digits && written.exponent === printed.exponent;
}
