import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonText } from '../testing/json-text.ts';
import type { BatchEnd } from './batch-output.ts';
import { messageResultLine } from './message-result.ts';

const failed = (error: string) => {
  const { text, outcome } = messageResultLine(
    { customId: 'a', output: null, error, requestId: null },
    'completed',
  );
  expect(outcome).toBe('failed');
  return (JSON.parse(text) as { result: { type: string; error: object } }).result;
};
const answered = (status: number, body: string, more = '') =>
  failed(`{"code":"c","message":"m","response":{"status_code":${status},"body":${body}${more}}}`);

describe('messageResultLine', () => {
  it('A4: holds the exact text of any message', () => {
    fc.assert(
      fc.property(jsonText, (output) => {
        expect(
          messageResultLine({ customId: 'a', output, error: null, requestId: null }, 'completed'),
        ).toEqual({
          file: 'output',
          outcome: 'succeeded',
          text: `{"custom_id":"a","result":{"type":"succeeded","message":${output}}}`,
        });
      }),
    );
  });

  it("A4: gives an error in Anthropic's form as it is, with the id of the server's answer", () => {
    const error = '{"type":"overloaded_error","message":"Busy","details":{"n":1.0}}';
    expect(answered(529, `{"type":"error","error":${error}}`, ',"request_id":"req_1"')).toEqual({
      type: 'errored',
      error: { type: 'error', error: JSON.parse(error) as object, request_id: 'req_1' },
    });
  });

  it.each([
    ['of OpenAI', 400, '{"error":{"message":"said","type":"x","code":400}}', 'invalid_request_error', 'said'],
    ['of Ollama', 404, '{"error":"said"}', 'not_found_error', 'said'],
    ['that is no object', 500, '[1]', 'api_error', 'm'],
    ['with a message that is no text', 400, '{"error":{"message":1}}', 'invalid_request_error', 'm'],
    ['without an error', 429, '{}', 'rate_limit_error', 'm'],
  ])('A4: translates an error %s', (_what, status, body, type, message) => {
    expect(answered(status, body).error).toEqual({
      type: 'error',
      error: { type, message },
      request_id: null,
    });
  });

  it('A4: answers any error with a line of the documented form', () => {
    fc.assert(
      fc.property(jsonText, fc.nat(999), (body, status) => {
        expect(answered(status, body)).toMatchObject({
          type: 'errored',
          error: { type: 'error', error: { type: expect.any(String), message: expect.any(String) } },
        });
      }),
    );
    expect(failed('{}').error).toMatchObject({
      error: { type: 'api_error', message: 'The request failed.' },
    });
  });

  it.each<[BatchEnd, string]>([
    ['completed', 'errored'],
    ['expired', 'expired'],
    ['cancelled', 'canceled'],
  ])('A4: says why a request of a message batch that is %s has no outcome', (end, type) => {
    const line = messageResultLine({ customId: 'a', output: null, error: null, requestId: null }, end);
    expect(line.outcome).toBe('not_run');
    expect(JSON.parse(line.text)).toMatchObject({ custom_id: 'a', result: { type } });
  });
});
