import { describe, expect, it } from 'vitest';
import { createStore } from '../create-store.ts';
import { MAX_FAILED, probationStore } from '../testing/probation-store.ts';

const {
  db,
  monotonicMs,
  heartbeat,
  connect,
  lease,
  failItems,
  failAllItems,
  finish,
  finishAll,
  advance,
  advanceClock,
  job,
  itemsOf,
} = probationStore();

describe('a worker whose items all fail', () => {
  it('fails a bounded number of items, and other workers do the rest', async () => {
    await connect('broken', 'ann', 'bob');
    const id = await job(1000);
    for (const worker of ['ann', 'bob']) await finish(worker, await lease(worker));
    await failAllItems('broken');
    await finishAll('ann');
    const items = await itemsOf(id);
    expect(items?.error).toBeLessThanOrEqual(MAX_FAILED);
    expect(items).toMatchObject({ ok: 1000 - (items?.error ?? 0), open: 0 });
  });

  it('fails no more items when no other worker has done anything yet', async () => {
    await connect('broken', 'ann');
    const id = await job(200);
    await failAllItems('broken');
    expect((await itemsOf(id))?.error).toBeLessThanOrEqual(MAX_FAILED);
    expect(db.store.workersOnProbation()).toEqual([{ worker: 'broken', jobId: id }]);
    await finishAll('ann');
    expect(await itemsOf(id)).toMatchObject({ open: 0 });
  });

  it('fails no more items per worker when all workers but one are broken', async () => {
    const broken = ['one', 'two', 'three'];
    await connect(...broken, 'ann');
    const id = await job(400);
    const held = await lease('ann');
    for (const worker of broken) await failAllItems(worker);
    await finish('ann', held);
    for (const worker of broken) await failAllItems(worker);
    expect((await itemsOf(id))?.error).toBeLessThanOrEqual(broken.length * MAX_FAILED);
    await finishAll('ann');
    expect(await itemsOf(id)).toMatchObject({ open: 0 });
  });

  it('goes on probation although its earlier items were ok', async () => {
    await connect('broken', 'ann');
    const id = await job(2000);
    for (let n = 0; n < 10; n += 1) await finish('broken', await lease('broken'));
    await finish('ann', await lease('ann'));
    await failAllItems('broken');
    expect((await itemsOf(id))?.error).toBeLessThanOrEqual(14 + MAX_FAILED);
  });

  it('goes on probation at a control plane that has not received its errors', async () => {
    await connect('broken', 'ann');
    const id = await job(400);
    const other = createStore({ url: db.url, monotonicMs });
    try {
      await finish('ann', await lease('ann'));
      await lease('ann', other); // both have read the histories, and do not read them again until the clock advances
      for (let n = 0; n < 20; n += 1) {
        await failItems('broken', await lease('broken'), other);
        await failItems('broken', await lease('broken', other));
      }
    } finally {
      await other.close();
    }
    expect((await itemsOf(id))?.error).toBeLessThanOrEqual(MAX_FAILED + 8);
  });

  it('stays on probation in the next job of the same work kind', async () => {
    await connect('broken', 'ann');
    const first = await job(100);
    await failAllItems('broken');
    const second = await job(50);
    await failAllItems('broken');
    expect(await itemsOf(second)).toMatchObject({ error: 0 });
    expect((await itemsOf(first))?.error).toBeLessThanOrEqual(MAX_FAILED);
  });
});

it('a worker on probation gets no copies, and another worker does', async () => {
  await connect('broken', 'ann', 'bob');
  const id = await job(30);
  await finish('ann', await lease('ann'));
  await failAllItems('broken');
  for (;;) if ((await lease('ann')).every(({ copy }) => copy)) break;
  expect(await db.store.readJob(id)).toMatchObject({ tasks: { pending: 0 } });
  expect(await lease('broken')).toEqual([]);
  const copied = await lease('bob');
  expect(copied.length).toBeGreaterThan(0);
  expect(copied.every(({ copy }) => copy)).toBe(true);
});

describe('a worker that was repaired', () => {
  it('gets one task immediately after a restart, and leaves probation when its items are ok', async () => {
    await connect('mac', 'ann');
    await job(1000);
    await finish('ann', await lease('ann'));
    await failAllItems('mac');
    await heartbeat('mac', 'next');
    advanceClock(1000);
    for (let tries = 0; ; tries += 1) {
      const tasks = await lease('mac');
      if (tasks.length > 1 || db.store.workersOnProbation().length === 0) break;
      expect(tasks).toHaveLength(1);
      expect(await lease('mac')).toEqual([]); // one task at a time
      await finish('mac', tasks);
      expect(tries).toBeLessThan(5);
      advanceClock(1000);
    }
    expect(db.store.workersOnProbation()).toEqual([]);
  });

  it('gets one task after a pause, and waits twice as long after each failure', async () => {
    await connect('mac', 'ann');
    await job(1000);
    await finish('ann', await lease('ann'));
    await failAllItems('mac');
    const leasesAfter = async (seconds: number) => {
      await advance(seconds);
      return failAllItems('mac');
    };
    const leases: number[] = [];
    for (const seconds of [59, 2, 59, 3, 100, 30]) leases.push(await leasesAfter(seconds));
    expect(leases).toEqual([0, 1, 0, 1, 0, 1]);
  });
});

describe('a job whose items all fail', () => {
  it('ends without a pause on the only worker', async () => {
    await connect('ann');
    const id = await job(300);
    await failAllItems('ann');
    expect(await itemsOf(id)).toMatchObject({ error: 300, open: 0 });
    expect(db.store.workersOnProbation()).toEqual([]);
  });

  it('ends without a pause once each of several workers has failed', async () => {
    await connect('ann', 'bob');
    const id = await job(300);
    await failAllItems('ann');
    await failAllItems('bob');
    await failAllItems('ann');
    expect(await itemsOf(id)).toMatchObject({ error: 300, open: 0 });
  });

  it('ends after five minutes although another alive worker leases none of it', async () => {
    await connect('ann', 'idle');
    const id = await job(300);
    await failAllItems('ann');
    await advance(301);
    await failAllItems('ann');
    expect(await itemsOf(id)).toMatchObject({ error: 300, open: 0 });
  });
});
