import { expect, it } from 'vitest';
import { messageOf } from './message-of.ts';

it.each([
  ['the message of an error', new TypeError('no such thing'), 'no such thing'],
  ['a thrown string as it is', 'no such thing', 'no such thing'],
  ['the word for a thrown undefined', undefined, 'undefined'],
])('returns %s', (_, thrown, message) => {
  expect(messageOf(thrown)).toBe(message);
});
