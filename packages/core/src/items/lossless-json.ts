import { arrayElements, objectMembers } from './json-slice.ts';

/**
 * Whether canonical JSON can represent this text without loss. Parsing loses
 * numbers that a double cannot represent, negative zero, repeated members of
 * an object, and strings with lone surrogates. Expects a text that `JSON.parse` accepts.
 */
export function isLosslessJson(text: string, start = 0): boolean {
  switch (text[start]) {
    case '{': {
      const names = new Set<string>();
      return objectMembers(text, start).every(({ name, value }) => {
        if (names.has(name) || !name.isWellFormed()) return false;
        names.add(name);
        return isLosslessJson(text, value.start);
      });
    }
    case '[': {
      for (const element of arrayElements(text, start)) {
        if (!isLosslessJson(text, element.start)) return false;
      }
      return true;
    }
    case '"':
      return stringAt(text, start).isWellFormed();
    case 't':
    case 'f':
    case 'n':
      return true;
    default:
      return isLosslessNumber(text, start);
  }
}

const STRING = /"(?:[^"\\]|\\.)*"/sy;

function stringAt(text: string, start: number): string {
  STRING.lastIndex = start;
  return String(JSON.parse(STRING.exec(text)?.[0] ?? '""'));
}

const NUMBER = /(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?/y;

/** A number as decimal digits without leading or trailing zeros, with the power of ten of the last digit. */
function decimal(
  text: string,
  start: number,
): { readonly negative: boolean; readonly digits: string; readonly exponent: number } {
  NUMBER.lastIndex = start;
  const [, sign = '', whole = '', fraction = '', power = '0'] = NUMBER.exec(text) ?? [];
  const leading = (whole + fraction).replace(/^0+/, '');
  const digits = leading.replace(/0+$/, '');
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
  const printed = decimal(String(value), 0);
  return written.digits === printed.digits && written.exponent === printed.exponent;
}
