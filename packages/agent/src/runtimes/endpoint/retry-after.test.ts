import { expect, test } from 'vitest';
import { type ReplyHeaders, retryAfterMs } from './retry-after.ts';

const NOW = Date.parse('2026-11-30T12:00:00Z');

test.each<[string, ReplyHeaders, string, number | null]>([
  ['seconds', { 'retry-after': '20' }, '', 20_000],
  ['a fraction of a second', { 'retry-after': '0.5' }, '', 500],
  ['a date', { 'retry-after': 'Mon, 30 Nov 2026 12:00:30 GMT' }, '', 30_000],
  [
    'a date by the server’s clock, which is an hour ahead',
    { 'retry-after': 'Mon, 30 Nov 2026 13:00:30 GMT', date: 'Mon, 30 Nov 2026 13:00:00 GMT' },
    '',
    30_000,
  ],
  ['a date that has passed', { 'retry-after': 'Mon, 30 Nov 2026 11:00:00 GMT' }, '', 0],
  ['a day, which is cut to an hour', { 'retry-after': '86400' }, '', 3_600_000],
  ['milliseconds of OpenAI', { 'retry-after-ms': '1500', 'retry-after': '2' }, '', 1500],
  [
    'a used-up limit of OpenAI',
    { 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '1m30.5s' },
    '',
    90_500,
  ],
  [
    'a limit that is not used up',
    { 'x-ratelimit-remaining-requests': '3', 'x-ratelimit-reset-requests': '1m' },
    '',
    null,
  ],
  ['the words of OpenAI', {}, 'Rate limit reached. Please try again in 6m0s. Visit …', 360_000],
  ['a header that comes twice', { 'retry-after': ['3', '4'] }, '', 3000],
  ['nothing', {}, 'Too many requests', null],
  ['a negative number', { 'retry-after': '-5' }, '', null],
  ['a number that is too large', { 'retry-after': '9'.repeat(400) }, '', 3_600_000],
  ['a text with a year', { 'retry-after': 'soon 2099' }, '', null],
  ['a text that ends in a number', { 'retry-after': 'garbage 12' }, '', null],
  ['nonsense', { 'retry-after': 'soon' }, 'try again in a while', null],
])('reads how long to wait from %s', (_name, headers, message, expected) => {
  expect(retryAfterMs(headers, message, NOW)).toBe(expected);
});
