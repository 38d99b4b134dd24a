import type { RequestListener, ServerResponse } from 'node:http';
import { serveLocally, until } from '@macbatch/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { MemoryControlPlane } from '../../testing/memory-control-plane.ts';
import { startMemoryWorker } from '../../testing/memory-worker.ts';
import { RECORDED_SERVERS, STRANGERS } from '../../testing/recorded-servers.ts';
import { SHORT_PAUSES } from '../../testing/short-pauses.ts';
import type { Offer, Runtime } from '../runtime.ts';
import { discoveredEndpoints } from './discovered-endpoint.ts';
import type { Answers } from './identify-server.ts';
import { listServers } from './list-servers.ts';

const ALIASES = { small: 'tiny-demo' };
const GONE_AFTER_MS = 100;

/** A server whose answers a test can replace. Requests without a recorded answer get a 404. */
async function serve(answers: Answers, post: (reply: ServerResponse) => unknown = () => undefined) {
  const paths: string[] = [];
  const server = { answers, post, paths, url: '', hangs: false };
  const listener: RequestListener = (incoming, reply) => {
    paths.push(incoming.url ?? '');
    if (incoming.method === 'POST') return server.post(reply);
    if (server.hangs) return undefined;
    const answer = Object.entries(server.answers).find(([path]) => path === incoming.url)?.[1];
    return reply.writeHead(answer?.status ?? 404).end(answer?.text);
  };
  server.url = await serveLocally(listener);
  return server;
}

/** A runtime for an address. A look returns the names that it offers. */
function open(url: string) {
  const [runtime] = discoveredEndpoints({ aliases: ALIASES, urls: [url] }, { now: () => 0 }) as [Runtime];
  onTestFinished(() => runtime.close());
  return {
    runtime,
    async look() {
      const look = await runtime.look?.(GONE_AFTER_MS);
      return [...new Set(look?.offers.map(({ model }) => model))];
    },
  };
}

describe('a look', () => {
  it('offers nothing before the first, then the models under their names and aliases', async () => {
    const { url } = await serve(RECORDED_SERVERS['llama-server']);
    const { runtime, look } = open(url);
    expect(runtime.offers).toEqual([]);
    expect(await look()).toEqual(['small', 'tiny-demo']);
    expect(await runtime.look?.(0)).toMatchObject({ name: `llama-server ${new URL(url).host}` });
    expect(await runtime.slots?.()).toEqual({ count: 4, isLimit: true });
  });

  it('asks a known server for its models only', async () => {
    const server = await serve(RECORDED_SERVERS['LM Studio']);
    const { look } = open(server.url);
    await look();
    server.paths.length = 0;
    await look();
    expect(server.paths).toEqual(['/api/v1/models', '/api/v0/models']);
  });

  it('sends one request to an address that does not answer', async () => {
    const paths: (string | undefined)[] = [];
    const url = await serveLocally(({ url: path, socket }) => {
      paths.push(path);
      socket.destroy();
    });
    expect(await open(url).look()).toEqual([]);
    expect(paths).toHaveLength(1);
  });

  it.each(Object.entries(STRANGERS))('offers nothing of %s', async (_, answers) => {
    expect(await open((await serve(answers)).url).look()).toEqual([]);
  });

  it('notices that another server has taken the place of one', async () => {
    const server = await serve(RECORDED_SERVERS.vLLM);
    const { look } = open(server.url);
    expect(await look()).toEqual(['Qwen/Qwen3-0.6B']);
    server.answers = RECORDED_SERVERS.exo;
    expect(await look()).toEqual(['mlx-community/Llama-3.2-1B-Instruct-4bit']);
  });

  it('knows what such servers run concurrently by default', async () => {
    const { runtime, look } = open((await serve(RECORDED_SERVERS['LM Studio'])).url);
    await look();
    expect(await runtime.slots?.()).toEqual({ count: 4, isLimit: false });
  });
});

describe('a worker', () => {
  const offer: Offer = { job_type: 'chat', model: 'tiny-demo' };
  const answer = (reply: ServerResponse) =>
    reply.end('{"choices":[{"finish_reason":"stop","message":{"content":"yes"}}]}');

  function start(urls: readonly string[], items = 6) {
    const shards = Array.from({ length: items / 2 }, (_, task) =>
      [0, 1].map((n) => ({ item_id: `${task}-${n}`, payload: '"Hello"' })),
    );
    const control = new MemoryControlPlane(offer, shards);
    const runtimes = discoveredEndpoints({ aliases: {}, urls }, { now: Date.now });
    const worker = startMemoryWorker(control, runtimes, { slots: 2, pauses: SHORT_PAUSES });
    const found = () =>
      worker.log.filter(({ event }) => event === 'models.found').map(({ models }) => models);
    const outputs = () => [...control.outcomes.values()].filter((outcome) => 'output' in outcome);
    return { control, worker, found, outputs };
  }

  it('runs a job on a server that starts later, and stops offering it when it ends', async () => {
    const server = await serve({}, answer);
    const { control, worker, found, outputs } = start([server.url]);
    await until(() => server.paths.length > 9);
    expect(found()).toEqual([]);
    server.answers = RECORDED_SERVERS['llama-server'];
    await control.over;
    expect(outputs()).toHaveLength(6);
    server.answers = {};
    await until(() => found().length > 1);
    expect(found()).toEqual([['tiny-demo'], []]);
    await worker.stop();
  });

  it('uses both servers that have a model, and the second alone while the first is in trouble', async () => {
    const hits = [0, 0];
    let isBroken = false;
    const servers = await Promise.all(
      [0, 1].map((n) =>
        serve(RECORDED_SERVERS['llama-server'], (reply) => {
          hits[n] = (hits[n] ?? 0) + 1;
          // Both have an item once each has one.
          if (n === 0 && isBroken) return reply.destroy();
          setTimeout(() => answer(reply), 20);
          isBroken ||= hits[0] === 2 && (hits[1] ?? 0) > 0;
          return reply;
        }),
      ),
    );
    const { control, worker, outputs } = start(
      servers.map(({ url }) => url),
      20,
    );
    await control.over;
    // Without the second server, at most two items would have an output. An item that only met the broken one may have none.
    expect(outputs().length).toBeGreaterThan(15);
    expect(Math.min(...hits)).toBeGreaterThan(0);
    await worker.stop();
  });

  it('finishes a job whose model vanished for a while in the middle of it', async () => {
    const server = await serve(RECORDED_SERVERS['llama-server'], answer);
    let posts = 0;
    server.post = (reply) => {
      posts += 1;
      if (posts === 3) {
        server.answers = { ...RECORDED_SERVERS['llama-server'], '/v1/models': EMPTY };
        server.post = (other) => other.writeHead(404).end(`{"error":"model 'tiny-demo' not found"}`);
      }
      return answer(reply);
    };
    const { control, worker, found, outputs } = start([server.url]);
    await until(() => found().length === 2);
    expect(found()[1]).toEqual([]);
    server.answers = RECORDED_SERVERS['llama-server'];
    server.post = answer;
    await control.over;
    expect(outputs()).toHaveLength(6);
    await worker.stop();
  });

  it('waits for a server that loads its model, and charges nobody', async () => {
    const server = await serve(RECORDED_SERVERS['llama-server']);
    const { text } = RECORDED_SERVERS['llama-server, loading']['/v1/models'];
    let refused = 0;
    const load = (reply: ServerResponse) => {
      refused += 1;
      if (refused === 1) server.answers = RECORDED_SERVERS['llama-server, loading'];
      // Longer than three attempts would take.
      if (refused === 20) {
        server.answers = RECORDED_SERVERS['llama-server'];
        server.post = answer;
      }
      return reply.writeHead(503).end(text);
    };
    server.post = load;
    const { control, worker, outputs } = start([server.url]);
    await control.over;
    expect(outputs()).toHaveLength(6);
    expect(control.troubles.get('model_loading')).toContain('Loading model');
    await worker.stop();
  });

  it('withdraws a model that its server lists and cannot load, with the reason', async () => {
    const server = await serve(RECORDED_SERVERS['llama-server'], (reply) =>
      reply.writeHead(500).end('{"error":{"message":"failed to load model: bad magic"}}'),
    );
    const { control, worker, outputs } = start([server.url]);
    await until(() => control.troubles.has('model_load_failed'));
    expect(control.troubles.get('model_load_failed')).toContain('bad magic');
    server.post = answer;
    await control.over;
    expect(outputs()).toHaveLength(6);
    await worker.stop();
  });
});

const EMPTY = { status: 200, json: undefined, text: '{"object":"list","data":[{"owned_by":"llamacpp"}]}' };

it('lists what it finds, and what it does not know', async () => {
  const urls = await Promise.all(
    [RECORDED_SERVERS['llama-server'], STRANGERS['a web page'] ?? {}].map(
      async (each) => (await serve(each)).url,
    ),
  );
  // Nothing listens on port 1.
  expect(await listServers({ aliases: ALIASES, urls: [...urls, 'http://127.0.0.1:1'] })).toMatchObject([
    { url: urls[0], server: 'llama-server', problem: null, models: [{ names: ['small', 'tiny-demo'] }] },
    { url: urls[1], server: null, problem: 'it shows a web page: My blog', models: [] },
  ]);
});
