import { Client } from '@macbatch/client';
import { submitJob } from '@macbatch/store/testing';
import { expect, it } from 'vitest';
import { scriptedRuntime } from '../testing/scripted-runtime.ts';
import { TestPool } from '../testing/test-pool.ts';

it('T2: immediately runs leases whose answer was lost, on the worker that holds them', async () => {
  const pool = await TestPool.open();
  const id = await submitJob(pool.store, { items: 3, shardSize: 1 });
  let answersToLose = 2;
  const client = new Client({
    baseUrl: 'http://control.test',
    retries: 0,
    fetch: async (url, init) => {
      const response = await pool.request(url, init);
      if (!url.endsWith('/v1/tasks/lease') || answersToLose === 0) return response;
      answersToLose -= 1;
      throw new TypeError('fetch failed');
    },
  });
  pool.start('ann', scriptedRuntime(), { client });
  expect(await pool.ended(id)).toMatchObject({ items: { ok: 3 }, lease_expired_events: 0 });
  const leases = await pool.sql`select attempts, returns, assigned_worker from tasks`;
  expect(leases).toMatchObject(leases.map(() => ({ attempts: 1, returns: 0, assigned_worker: 'ann' })));
});
