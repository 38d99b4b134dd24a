import { expect, it } from 'vitest';
import type { Offer } from '../runtimes/runtime.ts';
import { MemoryControlPlane } from './memory-control-plane.ts';

const OFFER = { job_type: 'chat', model: 'alias' } as const;

it('grants a task only to a request that offers it', async () => {
  const control = new MemoryControlPlane(OFFER, [[{ item_id: 'item', payload: '"item"' }]]);
  const stop = new AbortController();
  const lease = (offer: Offer) =>
    control.client.call(
      'leaseTasks',
      { body: { worker_id: 'mac', boot_id: 'boot', offers: [offer] } },
      { signal: stop.signal },
    );
  const others = [lease({ ...OFFER, job_type: 'embed' }), lease({ ...OFFER, model: 'other' })];
  const granted = lease(OFFER);
  expect(await Promise.race([...others, granted])).toBe(await granted);
  stop.abort();
  for (const other of others) await expect(other).rejects.toThrow();
});
