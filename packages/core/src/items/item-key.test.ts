import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { itemKey, keyTexts } from './item-key.ts';
import { isLosslessJson } from './lossless-json.ts';

const job = { jobType: 'classify', model: 'use-lite', params: '{"labels":["a","b"]}' } as const;
const payloadText = (payload: string) =>
  keyTexts({ ...job, params: '{}' })(payload)
    ?.split('"payload":')[1]
    ?.slice(0, -1);

it('I2: produces the canonical text of RFC 8785, section 3.2.2', () => {
  const input = String.raw`{
    "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
    "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
    "literals": [null, true, false]
  }`;
  // The first number of the RFC's example changes when it is parsed, so that text has no key …
  expect(payloadText(input)).toBeUndefined();
  // … and with the number as JavaScript prints it, the text equals the RFC's output.
  expect(payloadText(input.replace('333333333.33333329', '333333333.3333333'))).toBe(
    String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
  );
});

it('I2: sorts members by UTF-16 code units, as in RFC 8785, section 3.2.3', () => {
  const input = String.raw`{"\u20ac":"Euro Sign","\r":"Carriage Return","\ufb33":"Hebrew Letter Dalet With Dagesh","1":"One","\ud83d\ude00":"Emoji: Grinning Face","\u0080":"Control","\u00f6":"Latin Small Letter O With Diaeresis"}`;
  const names = Object.values(JSON.parse(payloadText(input) ?? '{}') as Record<string, string>);
  expect(payloadText(input)?.indexOf('Carriage Return')).toBeLessThan(
    payloadText(input)?.indexOf('"1"') ?? 0,
  );
  expect(names.slice(1)).toEqual([
    'Carriage Return',
    'Control',
    'Latin Small Letter O With Diaeresis',
    'Euro Sign',
    'Emoji: Grinning Face',
    'Hebrew Letter Dalet With Dagesh',
  ]);
});

it.each([
  ['9007199254740993', 'an integer that no double holds'],
  ['1e400', 'more than a double holds'],
  ['9223372036854775808.5', 'a fraction lost'],
  ['0.10000000000000001', 'digits that no double holds'],
  ['1e-400', 'less than a double holds'],
  ['-0', 'negative zero'],
  ['-0.0', 'negative zero'],
  ['{"a":1,"a":2}', 'a member twice'],
  ['{"x":{"a":1,"\\u0061":1}}', 'a member twice, once escaped'],
  ['"\\ud800"', 'a lone surrogate'],
  ['{"\\udc00":1}', 'a lone surrogate in a name'],
  ['[[[9007199254740993]]]', 'deep inside'],
])('I2: gives no key to %s: %s', (payload) => {
  expect(itemKey(job, payload)).toBeNull();
});

it.each([
  '0',
  '0.0',
  '1',
  '1.0',
  '1.10',
  '100',
  '1e2',
  '0.1',
  '1E-7',
  '9007199254740992',
  '1e23',
  '5e-324',
  '-1.5e+10',
  '12345678901234567000',
])('I2: gives a key to %s', (payload) => {
  expect(itemKey(job, payload)).toMatch(/^[0-9a-f]{64}$/);
});

it.each<[string, string]>([
  ['a string of 10 million characters', JSON.stringify('x'.repeat(10_000_000))],
  ['a string of 5 million escapes', `"${'\\n'.repeat(5_000_000)}"`],
  ['500 nested arrays', '['.repeat(500) + ']'.repeat(500)],
  ['50,000 members', `{${Array.from({ length: 50_000 }, (_, n) => `"${n}":[${n}]`).join()}}`],
])('I2: gives a key to %s', (_what, payload) => {
  expect(itemKey(job, payload)).toMatch(/^[0-9a-f]{64}$/);
});

it.each<[string, string]>([
  ['20,000 nested arrays', '['.repeat(20_000) + ']'.repeat(20_000)],
  ['20,000 nested objects', `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`],
  ['a number with a million zeros inside', `1.${'0'.repeat(1_000_000)}1`],
  [
    'a repeated member after 100,000 others',
    `{${'"a":1,'.repeat(2)}${Array.from({ length: 100_000 }, (_, n) => `"${n}":1`).join()}}`,
  ],
  ['a repeated member behind a nested object', '{"a":{"b":1},"c":[{"b":2}],"a":3}'],
])('I2: gives no key to %s, without an error', (_what, payload) => {
  expect(itemKey(job, payload)).toBeNull();
});

it('I2: gives equal keys to different spellings of the same value', () => {
  expect(itemKey(job, '{"b":1.0,"a":[1e2,"\\u0061"]}')).toBe(
    itemKey(job, ' { "a" : [100, "a"] , "b" : 1 } '),
  );
});

it('I2: gives different keys to different payloads, params, models and job types', () => {
  const keys = [
    itemKey(job, '"x"'),
    itemKey(job, '"y"'),
    itemKey({ ...job, params: '{"labels":["a","c"]}' }, '"x"'),
    itemKey({ ...job, model: 'other' }, '"x"'),
    itemKey({ ...job, jobType: 'embed' }, '"x"'),
  ];
  expect(new Set(keys).size).toBe(keys.length);
});

it('I2: hashes the canonical text with SHA-256', () => {
  const text = keyTexts(job)('"x"');
  expect(text).toBe('{"job_type":"classify","model":"use-lite","params":{"labels":["a","b"]},"payload":"x"}');
  expect(itemKey(job, '"x"')).toBe(createHash('sha256').update(String(text)).digest('hex'));
});

it('I2: gives a key to every value that JSON.stringify prints, and equal keys to equal values', () => {
  fc.assert(
    fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
      const text = JSON.stringify(value);
      // JSON.stringify prints -0 as 0 and escapes lone surrogates.
      const wellFormed = !/\\ud[89a-f]/.test(text);
      expect(isLosslessJson(text)).toBe(wellFormed);
      if (wellFormed)
        expect(itemKey(job, JSON.stringify(JSON.parse(text), null, 3))).toBe(itemKey(job, text));
    }),
  );
});

it('I2: gives different keys to different integers near 2^53', () => {
  fc.assert(
    fc.property(fc.bigInt(-(2n ** 60n), 2n ** 60n), fc.bigInt(-3n, 3n), (n, step) => {
      const [a, b] = [itemKey(job, String(n)), itemKey(job, String(n + step))];
      if (a !== null && b !== null) expect(a === b).toBe(step === 0n);
    }),
  );
});
