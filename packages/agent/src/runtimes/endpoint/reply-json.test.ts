import { expect, it } from 'vitest';
import { parseReply } from './reply-json.ts';

it.each<[string, unknown]>([
  ['{"a":1}', { a: 1 }],
  ['{"logprob":-Infinity,"b":[NaN, Infinity ]}', { logprob: null, b: [null, null] }],
  ['{"text":"NaN \\"Infinity\\" is -Infinity","x":NaN}', { text: 'NaN "Infinity" is -Infinity', x: null }],
  ['{"a\\\\":NaN}', { 'a\\': null }],
  ['{"a":NaNa}', undefined],
  ['{"a":NaN', undefined],
  ['"NaN', undefined],
  ['', undefined],
])('reads %s', (text, value) => {
  expect(parseReply(text)).toEqual(value);
});
