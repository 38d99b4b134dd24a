import { expect, it } from 'vitest';
import { itemIdProblem, MAX_ITEM_ID_LENGTH } from './item-id.ts';

it.each<[string, unknown, string]>([
  ['empty', '', 'must not be empty'],
  ['513 characters long', 'x'.repeat(513), 'must have at most 512 characters, it has 513'],
  ['513 emoji long', '😀'.repeat(513), 'must have at most 512 characters, it has 513'],
  ['10,000 characters long', 'x'.repeat(10_000), 'must have at most 512 characters, it has 10000'],
  ['with a NUL', 'a\u0000b', 'must not contain the character U+0000'],
  ['with a high surrogate alone', 'a\ud83d', 'must not contain a lone surrogate'],
  ['with a low surrogate alone', '\ude00a', 'must not contain a lone surrogate'],
  ['with surrogates the wrong way round', '\ude00\ud83d', 'must not contain a lone surrogate'],
  ['that is a number', 7, 'must be a string'],
  ['that is null', null, 'must be a string'],
  ['that is missing', undefined, 'must be a string'],
  ['that is a list of one', ['a'], 'must be a string'],
])('A3: refuses an id %s, with a reason', (_what, id, problem) => {
  expect(itemIdProblem(id)).toBe(problem);
});

it.each<[string, string]>([
  ['one character', 'a'],
  ['512 characters', 'x'.repeat(MAX_ITEM_ID_LENGTH)],
  ['512 emoji, which are 1,024 code units', '😀'.repeat(MAX_ITEM_ID_LENGTH)],
  ['a space', ' '],
  ['an emoji', '😀'],
  ['an emoji of several code points', '👩🏽‍💻'],
  ['right-to-left marks', '\u202eabc\u202c'],
  ['a line separator', 'a\u2028b'],
  ['other control characters', 'a\u0001\n\t'],
  ['a private-use character', '\uf8ff'],
  ['quotes and backslashes', '"\\'],
])('I7: accepts an id of %s', (_what, id) => {
  expect(itemIdProblem(id)).toBeNull();
});
