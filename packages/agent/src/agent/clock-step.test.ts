import { serveLocally } from '@macbatch/testing';
import { expect, it } from 'vitest';
import { steadyClock } from '../loops/steady-clock.ts';
import { openAiEndpoint } from '../runtimes/endpoint/openai-endpoint.ts';
import { MemoryControlPlane } from '../testing/memory-control-plane.ts';
import { type MemoryWorker, startMemoryWorker } from '../testing/memory-worker.ts';
import { SHORT_PAUSES } from '../testing/short-pauses.ts';

const HOUR_MS = 3_600_000;

it.each([
  ['back', -HOUR_MS],
  ['forward', HOUR_MS],
])('ends a pause in time when the time of day is set %s an hour during the pause', async (_way, stepMs) => {
  let requests = 0;
  const url = await serveLocally((_incoming, reply) => {
    requests += 1;
    if (requests > 1) {
      const message = { role: 'assistant', content: 'yes' };
      return reply.end(JSON.stringify({ choices: [{ finish_reason: 'stop', message }] }));
    }
    return reply.writeHead(429, { 'retry-after-ms': '50' }).end('{}');
  });
  let worker: MemoryWorker | undefined;
  const isPaused = () => worker?.log.some(({ event }) => event === 'endpoint.waits') === true;
  const now = steadyClock({
    wallMs: () => Date.now() + (isPaused() ? stepMs : 0),
    monotonicMs: () => performance.now(),
  });
  const control = new MemoryControlPlane({ job_type: 'chat', model: 'm' }, [
    [{ item_id: 'a', payload: '"hello"' }],
  ]);
  const runtime = openAiEndpoint({ url: `${url}/v1`, models: { m: 'm' } }, { now });
  worker = startMemoryWorker(control, runtime, { slots: 1, pauses: SHORT_PAUSES, now });
  await control.over;
  await worker.stop();
  expect(control.outcomes.get('a')).toHaveProperty('output');
});
