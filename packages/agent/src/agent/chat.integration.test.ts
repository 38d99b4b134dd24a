import { expect, it } from 'vitest';
import { openAiEndpoint } from '../runtimes/endpoint/openai-endpoint.ts';
import { findLlamaServer, startLlamaServer } from '../testing/llama-server.ts';
import { TestPool } from '../testing/test-pool.ts';

it.skipIf(findLlamaServer() === undefined)(
  'I1: runs a chat job on a real llama.cpp server and fails only the item that is too long (set MACBATCH_LLAMA_SERVER or brew install llama.cpp)',
  async () => {
    const server = await startLlamaServer();
    const pool = await TestPool.open();
    const runtime = openAiEndpoint({ url: server.url, models: { demo: 'tiny-demo' } }, { now: Date.now });
    expect(await runtime.slots?.()).toEqual({ count: 4, isLimit: true }); // `startLlamaServer` asks for four
    pool.start('mac', runtime, { concurrency: 4, leaseLimit: 2, heartbeatMs: 1000 });
    const { job } = await pool.client.submit(async function* () {
      yield '{"job_type":"chat","model":"demo","params":{"temperature":0},"shard_size":5}';
      for (let n = 0; n < 20; n += 1) {
        const payload =
          n === 7 ? 'word '.repeat(5000) : `Find the order number: Where is my parcel B-${48_227 + n * 7}?`;
        yield JSON.stringify({ id: `parcel-${n}`, payload });
      }
    });
    expect(await pool.ended(job.id)).toMatchObject({
      state: 'done',
      items: { total: 20, ok: 19, error: 1, failed: 0 },
      tasks: { done: 4, failed: 0 },
      leases_granted: 4,
      models_used: [{ name: 'tiny-demo', digest: null }],
      mixed_models: false,
    });
    const results = await pool.results(job.id);
    expect(results[7]).toMatchObject({ status: 'error', error: { code: 'context_length_exceeded' } });
    for (const [n, { status, output, model, usage }] of results.entries()) {
      if (n === 7) continue;
      expect({ n, status, output }).toMatchObject({
        n,
        status: 'ok',
        output: { text: `B-${48_227 + n * 7}`, finish_reason: 'stop' },
      });
      expect(model).toBe('tiny-demo');
      expect(usage?.['output_tokens']).toBeGreaterThan(0);
    }
  },
);
