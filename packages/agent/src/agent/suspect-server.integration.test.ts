import type { RequestListener } from 'node:http';
import { serveLocally, until } from '@macbatch/testing';
import { expect, it } from 'vitest';
import { openAiEndpoint } from '../runtimes/endpoint/openai-endpoint.ts';
import { TestPool } from '../testing/test-pool.ts';

type Answer = (reply: Parameters<RequestListener>[1], requests: number) => unknown;

/** Opens a runtime on a model server that answers like this. */
async function serving(answer: Answer) {
  let requests = 0;
  const url = await serveLocally((incoming, reply) => {
    if (incoming.method === 'GET') return reply.end('{"data":[{"id":"m"}]}');
    requests += 1;
    return answer(reply, requests);
  });
  return openAiEndpoint({ url: `${url}/v1`, models: { m: 'm' } }, { now: Date.now });
}

const chat = (content: string) =>
  JSON.stringify({ choices: [{ finish_reason: 'stop', message: { content } }] });

async function submit(pool: TestPool, items: number) {
  const { job } = await pool.client.submit(async function* () {
    yield '{"job_type":"chat","model":"m","shard_size":5}';
    for (let n = 0; n < items; n += 1) yield JSON.stringify({ id: `item-${n}`, payload: `number ${n}` });
  });
  return job.id;
}

it('loses no item to a worker whose server rejects everything while another worker runs them', async () => {
  const pool = await TestPool.open();
  const broken = await serving((reply) => reply.writeHead(400).end('<html>Bad Request</html>'));
  const slow = await serving((reply) => setTimeout(() => reply.end(chat('yes')), 20));
  const first = pool.start('broken', broken, { leaseLimit: null });
  const id = await submit(pool, 40);
  await until(() => first.logged('endpoint.waits').length > 0);
  pool.start('good', slow, { leaseLimit: null });
  expect(await pool.ended(id)).toMatchObject({ state: 'done', items: { ok: 40, error: 0, failed: 0 } });
  expect(first.logged('endpoint.waits')[0]).toMatchObject({
    code: 'rejects_all_items',
    reason: expect.stringContaining('<html>Bad Request</html>'),
  });
});

it('T6: charges nobody beside two workers whose servers reject everything, in a job with one task at the end', async () => {
  const pool = await TestPool.open();
  const slow = await serving((reply) => setTimeout(() => reply.end(chat('yes')), 20));
  for (const name of ['broken', 'broken-too'])
    pool.start(name, await serving((reply) => reply.writeHead(400).end('{"error":"no"}')), {
      leaseLimit: null,
    });
  pool.start('good', slow, { leaseLimit: null, concurrency: 1 });
  const id = await submit(pool, 21);
  expect(await pool.ended(id)).toMatchObject({ state: 'done', items: { ok: 21, error: 0, failed: 0 } });
  const [charged] = await pool.sql`select sum(attempts - returns - 1)::int as leases from tasks`;
  expect(charged).toEqual({ leases: 0 });
});

it('ends each item with its own error when every worker of the pool rejects it', async () => {
  const pool = await TestPool.open();
  for (const name of ['broken', 'broken-too'])
    pool.start(name, await serving((reply, requests) => reply.writeHead(400).end(`no ${requests}`)), {
      leaseLimit: null,
    });
  const id = await submit(pool, 21);
  expect(await pool.ended(id)).toMatchObject({ state: 'done', items: { ok: 0, error: 21, failed: 0 } });
  expect(new Set((await pool.results(id)).map(({ error }) => error?.code))).toEqual(
    new Set(['invalid_request']),
  );
});
