import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { Runtime, ServerSlots } from '../runtimes/runtime.ts';
import { MemoryControlPlane } from '../testing/memory-control-plane.ts';
import { startMemoryWorker } from '../testing/memory-worker.ts';
import { SHORT_PAUSES } from '../testing/short-pauses.ts';

/** The most items that ran concurrently of a job, on a server with these slots. */
async function mostConcurrent(
  serverSlots: ServerSlots | null,
  slots: number,
  gentle: boolean,
): Promise<number> {
  let running = 0;
  let most = 0;
  const runtime: Runtime = {
    name: 'server',
    remote: true,
    offers: [{ job_type: 'chat', model: 'm' }],
    slots: async () => serverSlots,
    async run() {
      running += 1;
      most = Math.max(most, running);
      await delay(2);
      running -= 1;
      return { output: '1', model: { name: 'm', digest: null }, usage: null };
    },
    close: async () => {},
  };
  const items = Array.from({ length: 40 }, (_, n) => ({ item_id: `${n}`, payload: '"Hello"' }));
  const control = new MemoryControlPlane({ job_type: 'chat', model: 'm' }, [items]);
  const worker = startMemoryWorker(control, runtime, { slots, pauses: SHORT_PAUSES, gentle });
  await control.over;
  await worker.stop();
  return most;
}

it.each<[what: string, server: ServerSlots | null, slots: number, most: number, gently: number]>([
  ['the slots that a server has named', { count: 4, isLimit: true }, 8, 4, 2],
  ['the concurrency of the worker', null, 6, 6, 3],
  ['one item, but not to none', { count: 1, isLimit: true }, 8, 1, 1],
])('halves %s if it is gentle', async (_, server, slots, most, gently) => {
  expect(await mostConcurrent(server, slots, false)).toBe(most);
  expect(await mostConcurrent(server, slots, true)).toBe(gently);
});
