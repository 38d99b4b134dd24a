import { describe, expect, it } from 'vitest';
import type { InputRecord } from '../formats/input-record.ts';
import { jsonLines } from '../formats/json-lines.ts';
import { type BatchForm, batchFormOf, isBatchLine } from './batch-line.ts';
import { itemText } from './item-text.ts';

const CHAT: BatchForm = { endpoint: '/v1/chat/completions', model: 'm' };
const line = (more: object = {}, body: unknown = { model: 'm' }) =>
  JSON.stringify({ custom_id: 'a', method: 'POST', url: '/v1/chat/completions', body, ...more });

async function record(text: string): Promise<InputRecord> {
  async function* bytes() {
    yield Buffer.from(`${text}\n`);
  }
  for await (const found of jsonLines(bytes())) return found;
  throw new Error('no record');
}

const textOf = async (text: string, batch = CHAT) =>
  itemText(await record(text), { idColumn: null, payload: { kind: 'batch', batch } }, '').text;

describe("requests of OpenAI's Batch API", () => {
  it('I7: takes custom_id as the id and the text of the body as the payload', async () => {
    const body = '{ "b":9007199254740993, "model":"m", "a":1.0, "t":"\\u0000é" }';
    const text = `{"body":${body} ,"url":"/v1/chat/completions","custom_id":"\\u0061","other":1}`;
    expect(await textOf(text)).toBe(`{"id":"\\u0061","payload":${body}}`);
  });

  it('reads the endpoint and the model from the first line, unless the job says them', async () => {
    const first = await record(line());
    expect(isBatchLine(first)).toBe(true);
    expect(batchFormOf(first, {})).toEqual(CHAT);
    expect(batchFormOf(first, { endpoint: '/v1/responses', model: null })).toEqual({
      endpoint: '/v1/responses',
      model: null,
    });
    expect(() => batchFormOf(first, { endpoint: '/v1/audio/speech' })).toThrow(
      'line 1: url: /v1/audio/speech',
    );
  });

  it.each(['{"custom_id":"a"}', '{"id":"a","payload":{"custom_id":"b","body":{}}}', '"custom_id body"'])(
    'does not take %s for a request',
    async (text) => {
      expect(isBatchLine(await record(text))).toBe(false);
    },
  );

  it.each([
    ['line 1 has no custom_id', '{"url":"/v1/chat/completions","body":{}}'],
    ['line 1: custom_id must be a string', line({ custom_id: 7 })],
    ['line 1: custom_id', line({ custom_id: '' })],
    ['line 1: method must be "POST", not "GET"', line({ method: 'GET' })],
    [
      'line 1: url must be "/v1/chat/completions" as in the first line, not "/v1/embeddings"',
      line({ url: '/v1/embeddings' }),
    ],
    ['line 1: body must be a JSON object', line({ body: [] })],
    ['line 1: body.stream must be false', line({}, { stream: true })],
    ['line 1: body.n must be at least 1', line({}, { n: 0 })],
    ['line 1: body.model is "x", but a job has one model, "m"', line({}, { model: 'x' })],
    ['line 1: body is given twice', '{"custom_id":"a","body":{},"body":{}}'],
  ])('A3: refuses with %s', async (message, text) => {
    await expect(textOf(text)).rejects.toThrow(message);
  });

  it('lets bodies name any model if the job names one for all', async () => {
    expect(await textOf(line({}, { model: 'x' }), { ...CHAT, model: null })).toContain('"model":"x"');
  });
});
