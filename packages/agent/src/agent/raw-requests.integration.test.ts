import { serveLocally, until } from '@macbatch/testing';
import { expect, it } from 'vitest';
import { openAiEndpoint } from '../runtimes/endpoint/openai-endpoint.ts';
import { TestPool } from '../testing/test-pool.ts';

const ANSWER =
  '{"id":"chatcmpl-1","choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2},"big":9007199254740993}';
const ERROR =
  '{"error":{"message":"too many tools","type":"invalid_request_error","param":null,"code":9007199254740993}}';

/** Opens a runtime on a server with chat completions and without responses. */
async function openServer() {
  const url = await serveLocally((incoming, reply) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      if (incoming.method === 'GET') return reply.end('{"data":[{"id":"m"}]}');
      if (incoming.url !== '/v1/chat/completions')
        return reply.writeHead(404).end('{"error":{"message":"Not Found"}}');
      if (body.includes('"bad"')) return reply.writeHead(400, { 'x-request-id': 'req-1' }).end(ERROR);
      return reply.end(ANSWER);
    });
  });
  return openAiEndpoint({ url: `${url}/v1`, models: { m: 'm' }, jobTypes: ['chat'] }, { now: Date.now });
}

async function submit(pool: TestPool, endpoint: string, payloads: readonly string[]) {
  const { job } = await pool.client.submit(async function* () {
    yield JSON.stringify({ job_type: 'request', model: 'm', params: { endpoint }, shard_size: 2 });
    for (const [n, payload] of payloads.entries()) yield `{"id":"item-${n}","payload":${payload}}`;
  });
  return job.id;
}

it('records the exact answers of raw requests, and the answer to a rejected one with its error', async () => {
  const pool = await TestPool.open();
  const id = await submit(pool, '/v1/chat/completions', ['{"a":1}', '{"tools":"bad"}', '{"a":2}']);
  pool.start('mac', await openServer());
  expect(await pool.ended(id)).toMatchObject({
    state: 'done',
    job_type: 'request',
    params: { endpoint: '/v1/chat/completions' },
    items: { ok: 2, error: 1, failed: 0 },
  });
  const lines: string[] = [];
  for await (const line of pool.client.results(id)) lines.push(line);
  expect(lines[0]).toContain(`"output":${ANSWER}`);
  expect(lines[1]).toContain(`"response":{"status_code":400,"request_id":"req-1","body":${ERROR}}`);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ usage: { input_tokens: 3, output_tokens: 2 } });
  expect(JSON.parse(lines[1] ?? '')).toMatchObject({ error: { code: 'invalid_request' } });
});

it('stops offering an endpoint that its server lacks, and goes on with the others', async () => {
  const pool = await TestPool.open();
  const { logged } = pool.start('mac', await openServer());
  await pool.ended(await submit(pool, '/v1/chat/completions', ['{"a":1}']));
  const lacking = await submit(pool, '/v1/responses', ['{"input":"Hi"}', '{"input":"Ho"}']);
  // Answers to other requests between its failures must not make it look like an error of the item.
  const others = Array.from({ length: 200 }, (_, n) => `{"a":${n + 2}}`);
  await pool.ended(await submit(pool, '/v1/chat/completions', others));
  await until(() => logged('task.not_here').length > 0);
  expect(logged('item.failed')).toEqual([]);
  await until(async () => (await pool.job(lacking)).tasks.leased === 0);
  const worker = await until(async () => {
    const { workers } = await pool.client.call('listWorkers', {});
    // Right after a pause, the trouble is that nobody offers the work.
    return workers.find(({ troubles }) => troubles.some(({ code }) => code === 'not_supported')) ?? false;
  });
  expect(worker.troubles).toMatchObject([
    { job_type: 'request:/v1/responses', model: 'm', code: 'not_supported' },
  ]);
  expect(worker.job_types).not.toContain('request:/v1/responses');
  expect(worker.job_types).toContain('request:/v1/chat/completions');
  // No attempt is charged, so that a worker with the endpoint can run it.
  const job = await until(async () => {
    const read = await pool.job(lacking);
    return read.tasks.pending === 1 && read;
  });
  expect(job.items).toMatchObject({ error: 0, failed: 0, open: 2 });
});
