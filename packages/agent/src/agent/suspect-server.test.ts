import type { RequestListener } from 'node:http';
import { serveLocally } from '@macbatch/testing';
import { expect, it } from 'vitest';
import { openAiEndpoint } from '../runtimes/endpoint/openai-endpoint.ts';
import { MemoryControlPlane } from '../testing/memory-control-plane.ts';
import { startMemoryWorker } from '../testing/memory-worker.ts';
import { SHORT_PAUSES } from '../testing/short-pauses.ts';

type Reply = Parameters<RequestListener>[1];

const chat = (content: string) =>
  JSON.stringify({ choices: [{ finish_reason: 'stop', message: { content } }] });

/** Runs 10 items on a server that answers its requests like this. Returns the outcomes and the code of its trouble. */
async function run(answer: (reply: Reply, requests: number) => unknown) {
  let requests = 0;
  const url = await serveLocally((incoming, reply) => {
    if (incoming.method === 'GET') return reply.end('{"data":[{"id":"m"}]}');
    requests += 1;
    return answer(reply, requests);
  });
  const items = Array.from({ length: 5 }, (_, n) => n);
  const control = new MemoryControlPlane(
    { job_type: 'chat', model: 'm' },
    ['a', 'b'].map((task) => items.map((n) => ({ item_id: `${task}${n}`, payload: '"hello"' }))),
  );
  const runtime = openAiEndpoint({ url: `${url}/v1`, models: { m: 'm' } }, { now: Date.now });
  const pauses = { ...SHORT_PAUSES, rejectionPatienceMs: 60_000, patienceMs: 60_000 };
  const worker = startMemoryWorker(control, runtime, { slots: 2, pauses });
  await control.over;
  await worker.stop();
  return {
    outputs: [...control.outcomes.values()].map((outcome) => ('output' in outcome ? outcome.output : null)),
    trouble: worker.log.find(({ event }) => event === 'endpoint.waits')?.['code'],
  };
}

it.each<[string, (reply: Reply) => unknown, string]>([
  ['a 400 with a page', (reply) => reply.writeHead(400).end('<html>'), 'rejects_all_items'],
  ['a 422', (reply) => reply.writeHead(422).end('{"detail":"invalid"}'), 'rejects_all_items'],
  ['a 404 that says invalid', (reply) => reply.writeHead(404).end('{"error":"invalid"}'), 'server_error'],
  ['a 200 with an error', (reply) => reply.end('{"error":{"message":"no GPU"}}'), 'empty_response'],
  ['a 200 without a choice', (reply) => reply.end('{"choices":[]}'), 'empty_response'],
])('runs all items when a server that answered only %s works again', async (_name, answer, code) => {
  const { outputs, trouble } = await run((reply, requests) =>
    requests <= 6 ? answer(reply) : reply.end(chat('yes')),
  );
  expect(outputs.filter((output) => output?.includes('yes'))).toHaveLength(10);
  expect(trouble).toBe(code);
});

it('records the answers of a server that ends each one without a word', async () => {
  const { outputs, trouble } = await run((reply) => reply.end(chat('')));
  expect(outputs).toEqual(Array.from({ length: 10 }, () => '{"text":"","finish_reason":"stop"}'));
  expect(trouble).toBeUndefined();
});
