import OpenAI from 'openai';
import { afterAll, describe, expect, it } from 'vitest';
import { fileApp, HEARTBEAT } from '../testing/file-app.ts';
import { keyFor } from '../testing/keyed-app.ts';
import { DIRECT_PATHS } from './openai-paths.ts';

let now = 0;
const control = fileApp({ monotonicMs: () => now });

afterAll(() => expect(control.errors).toEqual([]));

/** OpenAI's own client, as its documentation opens it for another base URL. */
function client(apiKey = 'none'): OpenAI {
  return new OpenAI({
    apiKey,
    baseURL: 'http://control.test/v1',
    maxRetries: 0,
    fetch: async (url, init) => control.app.request(url instanceof Request ? url.url : url, init),
  });
}

const beat = (advert: object) => control.send('POST', '/v1/workers/heartbeat', { ...HEARTBEAT, ...advert });

describe("OpenAI's client", () => {
  it('A4: lists the models that alive workers offer', async () => {
    expect((await client().models.list()).data).toEqual([]);
    await beat({
      worker_id: 'ann',
      job_types: ['chat', 'request:/v1/chat/completions'],
      models: ['qwen3', 'mlx-community/Llama-3.2'],
    });
    await beat({
      worker_id: 'bob',
      job_types: ['embed', 'request:/v1/embeddings'],
      models: ['bge', 'qwen3'],
    });
    await beat({ worker_id: 'cleo', job_types: ['chat'], models: ['old'], offline: true });
    const { data } = await client().models.list();
    expect(data.map(({ id }) => id)).toEqual(['bge', 'mlx-community/Llama-3.2', 'qwen3']);
    const model = await client().models.retrieve('mlx-community/Llama-3.2');
    expect(model).toMatchObject({ object: 'model', owned_by: 'macbatch', created: expect.any(Number) });
    expect(Math.abs(model.created - Date.now() / 1000)).toBeLessThan(60);
  });

  it.each(['old', 'a/b', 'a\u0000b', '\u{1f34f}'])('A4: knows no model %j', async (name) => {
    await expect(client().models.retrieve(name)).rejects.toMatchObject({
      constructor: OpenAI.NotFoundError,
      code: 'model_not_found',
      param: 'model',
    });
  });

  it('A4: is told how to submit what it calls directly', async () => {
    const messages = [{ role: 'user', content: 'Hi' }] as const;
    await expect(
      client().chat.completions.create({ model: 'm', messages: [...messages] }),
    ).rejects.toMatchObject({
      constructor: OpenAI.BadRequestError,
      code: 'batch_only',
      message: expect.stringContaining('POST /v1/batches') as string,
    });
  });

  it.each(DIRECT_PATHS)('A4: refuses POST %s with advice in the form of OpenAI', async (path) => {
    const response = await control.send('POST', path, { model: 'm' });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error: {
        type: 'invalid_request_error',
        code: 'batch_only',
        param: null,
        message: expect.stringContaining(path) as string,
      },
    });
  });

  it('A4: gets the error classes of wrong keys and roles', async () => {
    const submit = await keyFor(control.db.store, 'submit', { group: 'red' });
    const worker = await keyFor(control.db.store, 'worker');
    now += 10_000; // the control plane looks for keys again
    await expect(client(submit).models.list()).resolves.toMatchObject({ object: 'list' });
    await expect(client('sk-wrong').models.list()).rejects.toMatchObject({
      constructor: OpenAI.AuthenticationError,
      code: 'invalid_api_key',
    });
    await expect(client(worker).models.list()).rejects.toMatchObject({
      constructor: OpenAI.PermissionDeniedError,
    });
    await expect(client('sk-wrong').embeddings.create({ model: 'm', input: 'Hi' })).rejects.toBeInstanceOf(
      OpenAI.AuthenticationError,
    );
  });
});
