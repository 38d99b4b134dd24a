import { Client } from '@macbatch/client';
import { API_VERSION, API_VERSION_HEADER } from '@macbatch/contract';
import { expect, it } from 'vitest';
import { contentKey, submitDraft } from './submission.ts';

it.each([
  ['line 1 params.stream: not allowed', 'params.stream: not allowed'],
  ['Line 1 has params twice.', 'the job has params twice.'],
  ['line 3: id must be a string, as in line 2', 'line 2: id must be a string, as in line 1'],
])('names lines as the file numbers them: %s', async (detail, message) => {
  const problem = { type: 'about:blank', title: 't', status: 400, code: 'invalid_field', detail };
  const client = new Client({
    baseUrl: 'http://control',
    fetch: async (_url, init) => {
      await new Response(init.body ?? null).text();
      const headers = { [API_VERSION_HEADER]: String(API_VERSION) };
      return new Response(JSON.stringify(problem), { status: 400, headers });
    },
  });
  const draft = {
    header: { job_type: 'noop', model: 'm' } as const,
    async *lines() {
      yield '{"id":"a","payload":1}';
    },
    placeOf: (position: number) => `line ${position}`,
  };
  const key = { contentHash: await contentKey(draft), idempotencyKey: 'key' };
  await expect(submitDraft(client, draft, key, new AbortController().signal)).rejects.toMatchObject({
    message,
  });
});

/** A client of a control plane that reads submissions and refuses them. */
function clientWith(onBody: (body: Promise<string>) => void): Client {
  return new Client({
    baseUrl: 'http://control',
    retries: 3,
    fetch: async (_url, init) => {
      const body = new Response(init.body ?? null).text();
      onBody(body);
      await body;
      return new Response('{}', { status: 500 });
    },
  });
}

it('submits nothing, and does not try again, when the input has changed since its key was derived', async () => {
  let reads = 0;
  const draft = {
    header: { job_type: 'noop', model: 'm' } as const,
    async *lines() {
      reads += 1;
      yield `{"id":"a","payload":${reads}}`;
    },
    placeOf: () => 'line 1',
  };
  const bodies: Promise<string>[] = [];
  const client = clientWith((body) => bodies.push(body));
  const key = { contentHash: await contentKey(draft), idempotencyKey: 'key' };
  await expect(submitDraft(client, draft, key, new AbortController().signal)).rejects.toThrow(
    'The input changed while it was read. Nothing was submitted.',
  );
  expect(bodies).toHaveLength(1);
  await expect(bodies[0]).rejects.toThrow('The input changed');
});

it('I6: the same input has the same key under another name', async () => {
  const keyOf = (header: object) =>
    contentKey({
      header: { job_type: 'noop', model: 'm', ...header },
      async *lines() {
        yield '{"id":"a","payload":1}';
      },
      placeOf: () => 'line 1',
    });
  expect(await keyOf({ name: 'a.jsonl' })).toBe(await keyOf({}));
  expect(await keyOf({ name: 'a.jsonl' })).toBe(await keyOf({ name: 'b.jsonl' }));
  expect(await keyOf({ model: 'n' })).not.toBe(await keyOf({}));
});
