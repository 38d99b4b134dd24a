import { expect, it } from 'vitest';
import { ARRAY_TYPES } from './array-types.ts';

it.each([[[]], [['a', '', 'NULL', null, '{b,c}', 'say "\\" and \'', ' \n\t', 'ü🙂']]])(
  'reads back the texts that it has written: %j',
  (texts) => {
    expect(ARRAY_TYPES.texts.parse(ARRAY_TYPES.texts.serialize(texts))).toEqual(texts);
  },
);

it('reads int4 as numbers and int8 as decimal digits', () => {
  expect(ARRAY_TYPES.int4s.parse('{1,NULL,-2147483648}')).toEqual([1, null, -2147483648]);
  expect(ARRAY_TYPES.int8s.parse('{9223372036854775807}')).toEqual(['9223372036854775807']);
});
