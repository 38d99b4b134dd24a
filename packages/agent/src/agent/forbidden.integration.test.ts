import { serveLocally } from '@macbatch/testing';
import { expect, it } from 'vitest';
import { openAiEndpoint } from '../runtimes/endpoint/openai-endpoint.ts';
import { TestPool } from '../testing/test-pool.ts';

it('records a 403 of a server that answers others as the error of the item, after one call', async () => {
  const pool = await TestPool.open();
  const calls: string[] = [];
  const url = await serveLocally((incoming, reply) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      if (incoming.method === 'GET') return reply.end('{"data":[{"id":"m"}]}');
      const body = Buffer.concat(chunks).toString();
      calls.push(body);
      if (body.includes('attack')) return reply.writeHead(403).end('blocked by WAF rule');
      return reply.end('{"choices":[{"finish_reason":"stop","message":{"content":"fine"}}]}');
    });
  });
  const { job } = await pool.client.submit(async function* () {
    yield '{"job_type":"chat","model":"m"}';
    for (const [n, text] of ['a', 'b', 'attack 1', 'c', 'attack 2'].entries())
      yield JSON.stringify({ id: `i${n}`, payload: text });
  });
  const runtime = openAiEndpoint({ url: `${url}/v1`, models: { m: 'm' } }, { now: Date.now });
  pool.start('mac', runtime, { concurrency: 1 });
  expect(await pool.ended(job.id)).toMatchObject({
    items: { ok: 3, error: 2, failed: 0 },
    leases_granted: 1,
  });
  const errors = (await pool.results(job.id)).filter(({ status }) => status === 'error');
  expect(errors.map(({ error }) => error?.code)).toEqual(['forbidden', 'forbidden']);
  expect(calls).toHaveLength(5);
});
