import { Client } from '@macbatch/client';
import { expect, it } from 'vitest';
import { jobFailures } from './job-failures.ts';

const line = (n: number) =>
  `${JSON.stringify({
    ...{ id: `i${n}`, status: 'error', error: { code: 'timeout', message: `no answer within ${n} s` } },
    ...{ model: null, model_digest: null, worker: null, attempt: null, usage: null, finished_at: null },
  })}\n`;

function clientOf(lines: number, asked: string[]): Client {
  return new Client({
    baseUrl: 'http://pool',
    fetch: (url) => {
      asked.push(url);
      return new Response(Array.from({ length: lines }, (_, n) => line(n)).join(''));
    },
  });
}

it('groups at most 10,000 failures and counts the others', async () => {
  const asked: string[] = [];
  const groups = await jobFailures(clientOf(10_002, asked), 'j', 20_000, new AbortController().signal);
  expect(groups.list()).toEqual([
    { id: '28db32cd', code: 'timeout', message: 'no answer within 0 s', exampleId: 'i0', count: 10_000 },
  ]);
  expect(groups.others).toBe(10_000);
  expect(asked).toEqual([expect.stringContaining('status=error')]);
});

it('asks nothing when no item has failed', async () => {
  const asked: string[] = [];
  await jobFailures(clientOf(1, asked), 'j', 0, new AbortController().signal);
  expect(asked).toEqual([]);
});
