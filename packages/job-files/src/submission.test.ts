import { Client } from '@macbatch/client';
import { API_VERSION, API_VERSION_HEADER } from '@macbatch/contract';
import { expect, it } from 'vitest';
import { submitDraft } from './submission.ts';

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
  };
  await expect(submitDraft(client, draft, 'key', new AbortController().signal)).rejects.toMatchObject({
    message,
  });
});
