import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonText } from '../testing/json-text.ts';
import { type BatchEnd, batchOutputLine } from './batch-output.ts';
import { BatchUsageSum } from './batch-usage.ts';

describe('batchOutputLine', () => {
  it('A4: holds the exact text of any answer', () => {
    fc.assert(
      fc.property(jsonText, fc.string(), fc.boolean(), (body, customId, isError) => {
        const error = isError
          ? `{"code":"c","message":"m","response":{"status_code":404,"body":${body}}}`
          : null;
        const line = batchOutputLine(
          { customId, output: isError ? null : body, error, requestId: null },
          'completed',
          '1',
        );
        expect(line.file).toBe(isError ? 'error' : 'output');
        expect(line.text).toContain(`,"body":${body.trim()}`);
        expect(JSON.parse(line.text)).toMatchObject({
          id: 'batch_req_1',
          custom_id: customId,
          response: { status_code: isError ? 404 : 200, request_id: 'req_1' },
          error: null,
        });
      }),
    );
  });

  it.each<[BatchEnd, string]>([
    ['completed', 'batch_incomplete'],
    ['expired', 'batch_expired'],
    ['cancelled', 'batch_cancelled'],
  ])('A4: says why a request of a batch that is %s has no outcome', (end, code) => {
    const line = batchOutputLine({ customId: 'a', output: null, error: null, requestId: null }, end, '1');
    expect(line.file).toBe('error');
    expect(JSON.parse(line.text)).toMatchObject({ response: null, error: { code } });
  });

  it('A4: gives the id of the model server, or an own one', () => {
    const idOf = (requestId: string | null, error: string | null) => {
      const { text } = batchOutputLine(
        { customId: 'a', output: error === null ? '{}' : null, error, requestId },
        'completed',
        '1',
      );
      return (JSON.parse(text) as { response: { request_id: string } }).response.request_id;
    };
    expect([idOf('req_of_server', null), idOf(null, null)]).toEqual(['req_of_server', 'req_1']);
    const error = (id: string) => `{"code":"c","message":"m","response":{"status_code":400,${id}"body":{}}}`;
    expect([idOf(null, error('"request_id":"req_2",')), idOf(null, error(''))]).toEqual(['req_2', 'req_1']);
  });

  it('A4: writes an error without an answer as code and message', () => {
    const error = '{"message":"It broke.","code":"broken","other":1}';
    const { text } = batchOutputLine(
      { customId: 'a', output: null, error, requestId: null },
      'completed',
      '1',
    );
    expect(JSON.parse(text)).toMatchObject({
      response: null,
      error: { code: 'broken', message: 'It broke.' },
    });
  });
});

describe('BatchUsageSum', () => {
  it('A4: sums tokens under the names of both kinds of endpoints', () => {
    const sum = new BatchUsageSum();
    sum.add(
      '{"input_tokens":5,"output_tokens":2,"prompt_tokens_details.cached_tokens":1,"completion_tokens_details.reasoning_tokens":1}',
    );
    sum.add('{"input_tokens":3,"input_tokens_details.cached_tokens":2,"cost":0.5}');
    sum.add('{"output_tokens":"x","output_tokens_details.reasoning_tokens":4}');
    sum.add(null);
    expect(sum.sum()).toEqual({
      input_tokens: 8,
      input_tokens_details: { cached_tokens: 3 },
      output_tokens: 2,
      output_tokens_details: { reasoning_tokens: 5 },
      total_tokens: 10,
    });
  });
});
