import { MAX_ERROR_BODY_LENGTH } from '@macbatch/contract';
import { describe, expect, it } from 'vitest';
import { nested, REPLIES } from '../../testing/server-replies.ts';
import { RunFailure } from '../runtime.ts';
import { type RawAnswer, rawOutput } from './raw-reply.ts';
import { failureOfReply } from './server-failure.ts';

const outputOf = (body: string, status = 200, headers: RawAnswer['headers'] = {}) =>
  rawOutput({ status, headers, body }, 0).output;

function failureOf(body: string, status: number, headers: RawAnswer['headers'] = {}): RunFailure {
  try {
    outputOf(body, status, headers);
  } catch (error) {
    if (error instanceof RunFailure) return error;
    throw error;
  }
  throw new Error('the answer is an output');
}

describe('an answer of success', () => {
  it.each([
    ['a body', '{"choices":[],"usage":{"x":9007199254740993},"b":1.0,"b":-0,"t":"\\u0000"}'],
    ['a refusal', '{"choices":[{"finish_reason":"content_filter","message":{"refusal":"No."}}]}'],
    ['an error', '{"error":"Unexpected endpoint"}'],
  ])('keeps %s as it is, whatever it says', (_what, body) => {
    expect(outputOf(body)).toBe(body);
    expect(outputOf(body, 201)).toBe(body);
  });

  it.each([
    [{ 'x-request-id': 'req_1' }, 'req_1'],
    [{ 'request-id': 'req_2' }, 'req_2'],
    [{}, undefined],
    [{ 'x-request-id': '' }, undefined],
    [{ 'x-request-id': 'ä' }, undefined],
    [{ 'x-request-id': 'x'.repeat(201) }, undefined],
  ])('takes the id of the request from %j', (headers, requestId) => {
    expect(rawOutput({ status: 200, headers, body: '{}' }, 0)).toEqual({ output: '{}', requestId });
  });

  it('makes one line of a body over several lines', () => {
    expect(outputOf('{\r\n  "a": "\\n"\n}\n')).toBe('{    "a": "\\n" }');
  });

  it('writes NaN and Infinity as null, because JSON has neither', () => {
    expect(outputOf('{"logprob": NaN, "b": -Infinity, "t": "NaN"}')).toBe(
      '{"logprob": null, "b": null, "t": "NaN"}',
    );
  });

  it.each([
    ['an empty body', ' ', 'empty_response'],
    ['a stream', 'data: {"choices":[]}\n\ndata: [DONE]\n\n', 'unreadable_answer'],
  ])('takes %s for a failure that may not happen again', (_what, body, code) => {
    expect(failureOf(body, 200)).toMatchObject({ failure: 'transient', code, response: null });
  });
});

it.each([200, 201, 511])('takes a web page with %i for another program than a model server', (status) => {
  const page = '<!doctype html><html><head><title>Sign in to Wi-Fi</title></head></html>';
  expect(failureOf(page, status)).toMatchObject({
    failure: 'not_here',
    code: 'not_a_model_server',
    message: `the model server answered ${status}: a web page, not JSON: Sign in to Wi-Fi`,
    mayBeOfItem: status !== 511,
  });
});

it('takes a part of an answer (206) for a fault of the server, because no request asks for a part', () => {
  expect(failureOf('{"choices":[]}', 206)).toMatchObject({ failure: 'transient', code: 'server_error' });
});

describe('an answer of failure', () => {
  it.each(REPLIES.filter(([, status]) => status !== 200))(
    'judges %s like any other job type (%s)',
    (_server, status, body) => {
      const { failure, code, message, response } = failureOf(body, status);
      const { failure: usual, code: usualCode, message: usualMessage } = failureOfReply({ status, body }, 0);
      expect({ failure, code, message }).toEqual({ failure: usual, code: usualCode, message: usualMessage });
      expect(response?.status_code).toBe(status);
    },
  );

  it('keeps the status, the id and the exact body of the answer', () => {
    const body = '{"error":{"message":"n is too big","code":9007199254740993}}';
    expect(failureOf(body, 400, { 'x-request-id': 'req_1' })).toMatchObject({
      failure: 'rejected',
      response: { status_code: 400, request_id: 'req_1', body },
    });
  });

  it.each([
    ['HTML', '<html>Bad\u0000 \ud83dRequest</html>'],
    ['a body over the limit', nested('x'.repeat(MAX_ERROR_BODY_LENGTH))],
    ['nothing', ''],
  ])('makes an error in JSON of %s', (_what, body) => {
    const text = failureOf(body, 400).response?.body ?? '';
    expect(text.length).toBeLessThanOrEqual(MAX_ERROR_BODY_LENGTH);
    expect(JSON.parse(text)).toEqual({
      error: { message: body.slice(0, 2000).toWellFormed(), type: null, param: null, code: null },
    });
  });

  it('takes a 404 about a value in the body for an error of the item, and another for a missing path', () => {
    expect(failureOf(nested('No such file', { param: 'file_id' }), 404).failure).toBe('rejected');
    expect(failureOf(nested('Not Found', { param: null }), 404)).toMatchObject({
      failure: 'not_here',
      code: 'not_supported',
    });
  });
});
