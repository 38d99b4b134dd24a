import fc from 'fast-check';

const space = fc.string({ unit: fc.constantFrom(' ', '\n', '\r', '\t'), maxLength: 3 });

const number = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
  fc.bigInt().map(String),
  fc.constantFrom('-0', '1e400', '-1E+400', '9223372036854775808', '0.10', '1.0e-7'),
);

const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** A string as JSON text: plain where possible, or with every UTF-16 unit escaped. */
const quoted = (value: fc.Arbitrary<string>) =>
  fc
    .tuple(value, fc.boolean())
    .map(([text, everyUnit]) =>
      everyUnit
        ? `"${Array.from({ length: text.length }, (_, i) => escaped(text.charAt(i))).join('')}"`
        : JSON.stringify(text),
    );

const awkward = fc.string({
  unit: fc.constantFrom(
    '"',
    '\\',
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    ' ',
    '\n',
    '\u0000',
    '\u2028',
    '\ud800',
    '😀',
    'é',
  ),
});
const string = quoted(fc.oneof(fc.string({ unit: 'binary' }), awkward));

const scalar = fc.oneof(number, string, fc.constantFrom('true', 'false', 'null'));

const joined = (open: string, parts: readonly string[], spaces: readonly string[], close: string) =>
  `${open}${parts.map((part, i) => `${i === 0 ? '' : ','}${spaces[i] ?? ''}${part}${spaces[i] ?? ''}`).join('')}${spaces[0] ?? ' '}${close}`;

const spaces = fc.array(space, { minLength: 6, maxLength: 6 });

/** The text of an array and the texts of its elements. */
const arrayOf = (element: fc.Arbitrary<string>) =>
  fc
    .tuple(fc.array(element, { maxLength: 6 }), spaces)
    .map(([elements, gaps]) => ({ elements, text: joined('[', elements, gaps, ']') }));

/** The text of an object and the names and texts of its members. Names may repeat. */
const objectOf = (value: fc.Arbitrary<string>) =>
  fc.tuple(fc.array(fc.tuple(string, value), { maxLength: 6 }), spaces).map(([members, gaps]) => ({
    members: members.map(([name, text]) => ({ name: String(JSON.parse(name)), text })),
    text: joined(
      '{',
      members.map(([name, text], i) => `${name}${gaps[i] ?? ''}:${gaps[i] ?? ''}${text}`),
      gaps,
      '}',
    ),
  }));

/** The text of any JSON value, with white space wherever JSON allows it and both kinds of escapes. */
export const { value: jsonText } = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalar,
    arrayOf(tie('value')).map(({ text }) => text),
    objectOf(tie('value')).map(({ text }) => text),
  ),
}));

export const jsonArray = arrayOf(jsonText);
export const jsonObject = objectOf(jsonText);
export const jsonSpace = space;

/** Payloads that some database type, parser or printer damages. */
export const AWKWARD_PAYLOADS: readonly (readonly [name: string, text: string])[] = [
  ['an escaped NUL', '"\\u0000"'],
  ['an escaped lone surrogate', '"\\ud800"'],
  ['a number beyond a double', '1e400'],
  ['a number beyond 64 bits', '9223372036854775808'],
  ['a negative zero', '-0'],
  ['a number with zeros at its end', '1.10'],
  ['30 levels', `${'[{"a":'.repeat(15)}1${'}]'.repeat(15)}`],
  ['500 levels', `${'['.repeat(500)}${']'.repeat(500)}`],
  ['a string of 5 MB', `"${'x'.repeat(5_000_000)}"`],
  ['5 MB of backslashes and quotes', `"${'\\\\\\"'.repeat(1_250_000)}"`],
  ['a line separator', '"a\u2028b"'],
  ['an emoji of several code points', '"👩🏽‍💻"'],
  ['an escaped quote', '"\\""'],
  ['an escaped backslash before the quote', '"\\\\"'],
  ['an escaped backslash and an escaped quote', '"\\\\\\""'],
  ['brackets inside a string', '"]}{[,:"'],
  ['members that are there twice', '{"a":1,"a":2}'],
  ['members in no order, with spaces', '{ "b" : 1 ,\t"a" :\n[ 1 , 2 ] }'],
  ['a member named __proto__', '{"__proto__":{"id":1}}'],
  ['an empty object', '{}'],
  ['an empty array', '[ ]'],
  ['an empty string', '""'],
  ['null', 'null'],
];
