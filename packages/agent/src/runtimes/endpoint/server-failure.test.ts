import { expect, test } from 'vitest';
import { nested, REPLIES } from '../../testing/server-replies.ts';
import { failureOfReply } from './server-failure.ts';

const NOW = 0;

test.each(REPLIES)('%s: %i %s is %s, %s', (_server, status, body, failure, code) => {
  expect(failureOfReply({ status, body }, NOW)).toMatchObject({ failure, code });
});

test.each([413, 422])('%i is about the request, whatever its echo of the prompt says', (status) => {
  const echo = 'my Mac says: insufficient memory, and the model foo does not exist';
  const detail = [
    { type: 'string_type', loc: ['body', 'messages', 0], msg: 'Input should be valid', input: echo },
  ];
  for (const body of [JSON.stringify({ detail }), nested(echo)])
    expect(failureOfReply({ status, body }, NOW)).toMatchObject({
      failure: 'rejected',
      code: 'invalid_request',
    });
  expect(failureOfReply({ status, body: JSON.stringify({ detail }) }, NOW).message).toBe(
    `the model server answered ${status}: body.messages.0: Input should be valid`,
  );
});

test.each([
  [400, nested('bad template: "my Mac has insufficient memory"'), true],
  [400, nested('bad content: "the model gpt-9 does not exist"'), true],
  [403, 'Forbidden', true],
  [500, nested('model requires more system memory (9 GiB) than is available'), true],
  [400, '{"error":{"message":"gpt-9","code":"model_not_found"}}', false],
  [404, nested('model "gpt-9" not found, try pulling it first'), false],
  [401, nested('wrong key'), false],
  [507, nested('Insufficient storage'), false],
])('%i %s may be about the item: %s', (status, body, expected) => {
  expect(failureOfReply({ status, body }, NOW)).toMatchObject({ failure: 'not_here', mayBeOfItem: expected });
});

test('repeats the server’s message, cut to a reasonable length', () => {
  expect(failureOfReply({ status: 400, body: nested('top_p must be below 1') }, NOW).message).toBe(
    'the model server answered 400: top_p must be below 1',
  );
  expect(failureOfReply({ status: 500, body: 'x'.repeat(100_000) }, NOW).message.length).toBeLessThan(600);
});

test('reads how long a busy server asks to be left alone', () => {
  const headers = { 'retry-after': '20' };
  expect(failureOfReply({ status: 429, body: '', headers }, NOW).retryAfterMs).toBe(20_000);
  expect(failureOfReply({ status: 503, body: '', headers }, NOW).retryAfterMs).toBe(20_000);
  expect(failureOfReply({ status: 400, body: '', headers }, NOW).retryAfterMs).toBeNull();
});
