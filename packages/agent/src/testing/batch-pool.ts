import type { IncomingMessage, ServerResponse } from 'node:http';
import { serveLocally } from '@macbatch/testing';
import { expect, onTestFinished } from 'vitest';
import { openAiEndpoint } from '../runtimes/endpoint/openai-endpoint.ts';
import { TestPool } from './test-pool.ts';

export interface BatchPool {
  readonly pool: TestPool;
  /** Stands in for `fetch` of a client library: its requests reach the control plane of the pool. */
  readonly fetch: (url: string | URL | Request, init?: RequestInit) => Promise<Response>;
  /** Starts a worker that runs requests for `alias` on the model server. */
  startWorker(alias: string): void;
}

/** Opens a pool that runs batches, and a model server that answers each request with a body by `answer`. */
export async function batchPool(
  answer: (body: string, incoming: IncomingMessage, reply: ServerResponse) => unknown,
): Promise<BatchPool> {
  const pool = await TestPool.open();
  const stop = new AbortController();
  const batches = pool.runBatches(stop.signal);
  onTestFinished(async () => {
    stop.abort();
    await batches;
    expect(pool.batchErrors).toEqual([]);
  });
  const url = await serveLocally((incoming, reply) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      if (incoming.method === 'GET') reply.end('{"data":[{"id":"qwen3:8b"}]}');
      else answer(Buffer.concat(chunks).toString(), incoming, reply);
    });
  });
  return {
    pool,
    fetch: async (to, init) => pool.request(String(to), init ?? {}),
    startWorker(alias) {
      const config = { url: `${url}/v1`, models: { [alias]: 'qwen3:8b' } };
      pool.start('mac', openAiEndpoint(config, { now: Date.now }), { leaseLimit: 10 });
    },
  };
}
