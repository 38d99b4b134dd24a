import { Client } from '@macbatch/client';
import type { LeaseRequest } from '@macbatch/contract';
import { submitJob } from '@macbatch/store/testing';
import { until } from '@macbatch/testing';
import { expect, it } from 'vitest';
import { failures, scriptedRuntime } from '../testing/scripted-runtime.ts';
import { TestPool } from '../testing/test-pool.ts';

const SHARD = 5;
/** Most errors of a broken worker: 13 until it is on probation, 4 held items per slot, and one more lease. */
const MAX_ERRORS = 5 + 8 + 4 * 4 + SHARD;

it('loses few items to a Mac that fails every item immediately, and runs the rest on another', async () => {
  const pool = await TestPool.open();
  const slow = scriptedRuntime({ hold: () => true });
  const good = pool.start('good', slow, { concurrency: 4, leaseLimit: null });
  await until(() => good.logged('worker.running').length === 1);
  const id = await submitJob(pool.store, { items: 300, shardSize: SHARD });
  await until(() => slow.running.length === 4);
  // The good worker has reported nothing yet, so the control plane cannot compare the two.
  const broken = scriptedRuntime({ fail: () => failures.permanent() });
  pool.start('broken', broken, { concurrency: 4, leaseLimit: null });
  await until(() => pool.store.workersOnProbation().length === 1);
  slow.release(...Array.from({ length: 300 }, (_, n) => n));
  const { items } = await pool.ended(id);
  expect(items.error).toBeGreaterThan(0);
  expect(items.error).toBeLessThanOrEqual(MAX_ERRORS);
  expect(items.ok).toBe(300 - items.error);
});

it('reports no load time for a model after items that failed immediately', async () => {
  const pool = await TestPool.open();
  const asked: LeaseRequest['offers'][number][] = [];
  const fetch = async (url: string, init: RequestInit) => {
    if (url.endsWith('/lease')) asked.push(...(JSON.parse(String(init.body)) as LeaseRequest).offers);
    return pool.request(url, init);
  };
  const client = new Client({ baseUrl: 'http://control.test', fetch, retries: 0 });
  const runtime = scriptedRuntime({ fail: (n) => (n === 0 ? undefined : failures.permanent()) });
  pool.start('a', runtime, { client, concurrency: 1 });
  const id = await submitJob(pool.store, { items: 3, shardSize: 3 });
  expect(await pool.ended(id)).toMatchObject({ items: { ok: 1, error: 2 } });
  const [offer] = await until(() => {
    const [last] = asked.slice(-1);
    return last?.loaded === true && [last];
  });
  expect(offer).not.toHaveProperty('load_seconds');
});
