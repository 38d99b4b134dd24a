import { beforeEach, describe, expect, it } from 'vitest';
import { createStore, type Store } from '../store.ts';
import { completion, failure, fileStore, itemError, NOOP, submitJob } from '../testing/index.ts';
import type { LeasedTask } from './lease.ts';

let now = 0;
const db = fileStore({ monotonicMs: () => now });
beforeEach(() => {
  now += 10_000; // what was read of the database before is too old
});

const SHARD = 5;
/** What is spoiled before a worker with four slots is found out: six errors make a doubt, and it holds a lease. */
const FOUND_OUT = 5 + 2 * 4 + SHARD;

async function here(...workers: readonly string[]): Promise<void> {
  for (const worker of workers) await heartbeat(worker);
}

async function heartbeat(worker: string, boot = `boot-of-${worker}`): Promise<void> {
  await db.store.heartbeat({
    worker,
    boot,
    hostname: worker,
    jobTypes: ['noop'],
    models: ['noop'],
    concurrency: 4,
    leaseLimit: 0,
    offline: false,
    formerBoots: null,
  });
}

async function asks(worker: string, store: Store = db.store): Promise<LeasedTask[]> {
  const boot = `boot-of-${worker}`;
  const call = { worker, boot, limit: null, slots: 4, offers: NOOP, renews: true, copies: true };
  return (await store.lease(call)).tasks;
}

/** Each item is an error, the moment that it comes. */
async function spoil(worker: string, tasks: readonly LeasedTask[], store: Store = db.store): Promise<void> {
  const outcomesOf = (task: LeasedTask) => task.items.map(({ itemId }) => itemError(itemId));
  await store.report(
    worker,
    tasks.map((task) => ({ ...completion(task), outcomes: outcomesOf(task) })),
  );
}

/** Time goes by, for this process and in the tallies. */
async function pass(seconds: number): Promise<void> {
  now += seconds * 1000;
  await db.sql`update job_tallies set last_leased_at = last_leased_at - ${seconds}::float8 * interval '1 second'`;
}

/** Works until it is given nothing; how often it was given something. */
async function spoilAll(worker: string): Promise<number> {
  for (let leases = 0; ; leases += 1) {
    const tasks = await asks(worker);
    if (tasks.length === 0) return leases;
    await spoil(worker, tasks);
  }
}

async function finish(worker: string, tasks: readonly LeasedTask[]): Promise<void> {
  await db.store.report(
    worker,
    tasks.map((task) => completion(task)),
  );
}

async function finishAll(worker: string): Promise<void> {
  for (;;) {
    const tasks = await asks(worker);
    if (tasks.length === 0) return;
    await finish(worker, tasks);
  }
}

const job = (items: number) => submitJob(db.store, { items, shardSize: SHARD });
const itemsOf = async (id: string) => (await db.store.readJob(id))?.items;

describe('a worker that answers at once with errors', () => {
  it('spoils a bounded part of a job, and the others do the rest', async () => {
    await here('broken', 'ann', 'bob');
    const id = await job(1000);
    for (const worker of ['ann', 'bob']) await finish(worker, await asks(worker));
    await spoilAll('broken');
    await finishAll('ann');
    const items = await itemsOf(id);
    expect(items?.error).toBeLessThanOrEqual(FOUND_OUT);
    expect(items).toMatchObject({ ok: 1000 - (items?.error ?? 0), open: 0 });
  });

  it('spoils no more where it comes before any other has done anything', async () => {
    await here('broken', 'ann');
    const id = await job(200);
    await spoilAll('broken');
    expect((await itemsOf(id))?.error).toBeLessThanOrEqual(FOUND_OUT);
    expect(db.store.doubts()).toEqual([{ worker: 'broken', jobId: id }]);
    await finishAll('ann');
    expect(await itemsOf(id)).toMatchObject({ open: 0 });
  });

  it('spoils no more where all Macs but one are broken', async () => {
    const broken = ['one', 'two', 'three'];
    await here(...broken, 'ann');
    const id = await job(400);
    const held = await asks('ann');
    for (const worker of broken) await spoilAll(worker);
    await finish('ann', held);
    for (const worker of broken) await spoilAll(worker);
    expect((await itemsOf(id))?.error).toBeLessThanOrEqual(broken.length * FOUND_OUT);
    await finishAll('ann');
    expect(await itemsOf(id)).toMatchObject({ open: 0 });
  });

  it('is found out though it did well before', async () => {
    await here('broken', 'ann');
    const id = await job(2000);
    for (let n = 0; n < 10; n += 1) await finish('broken', await asks('broken'));
    await finish('ann', await asks('ann'));
    await spoilAll('broken');
    expect((await itemsOf(id))?.error).toBeLessThanOrEqual(14 + FOUND_OUT);
  });

  it('is found out by a control plane that has not heard of its errors', async () => {
    await here('broken', 'ann');
    const id = await job(400);
    const other = createStore({ url: db.url, monotonicMs: () => now });
    try {
      await finish('ann', await asks('ann'));
      await asks('ann', other); // both have looked, and do not look again while the clock stands still
      for (let n = 0; n < 20; n += 1) {
        await spoil('broken', await asks('broken'), other);
        await spoil('broken', await asks('broken', other));
      }
    } finally {
      await other.close();
    }
    expect((await itemsOf(id))?.error).toBeLessThanOrEqual(FOUND_OUT + 8);
  });

  it('is not let loose on the next job of the kind', async () => {
    await here('broken', 'ann');
    const first = await job(100);
    await spoilAll('broken');
    const second = await job(50);
    await spoilAll('broken');
    expect(await itemsOf(second)).toMatchObject({ error: 0 });
    expect((await itemsOf(first))?.error).toBeLessThanOrEqual(FOUND_OUT);
  });
});

it('a worker in doubt gets no copies of what others hold; one that is not does', async () => {
  await here('broken', 'ann', 'bob');
  const id = await job(30);
  await finish('ann', await asks('ann'));
  await spoilAll('broken');
  for (;;) if ((await asks('ann')).every(({ copy }) => copy)) break;
  expect(await db.store.readJob(id)).toMatchObject({ tasks: { pending: 0 } });
  expect(await asks('broken')).toEqual([]);
  const copied = await asks('bob');
  expect(copied.length).toBeGreaterThan(0);
  expect(copied.every(({ copy }) => copy)).toBe(true);
});

describe('a worker that was mended', () => {
  it('is tried at once when it was started again, and comes back by what it does', async () => {
    await here('mac', 'ann');
    await job(1000);
    await finish('ann', await asks('ann'));
    await spoilAll('mac');
    await heartbeat('mac', 'next');
    now += 1000;
    for (let tries = 0; ; tries += 1) {
      const tasks = await asks('mac');
      if (tasks.length > 1 || db.store.doubts().length === 0) break;
      expect(tasks).toHaveLength(1);
      expect(await asks('mac')).toEqual([]); // one at a time
      await finish('mac', tasks);
      expect(tries).toBeLessThan(5);
      now += 1000;
    }
    expect(db.store.doubts()).toEqual([]);
  });

  it('is tried after a while, and left alone for twice as long where it was not', async () => {
    await here('mac', 'ann');
    await job(1000);
    await finish('ann', await asks('ann'));
    await spoilAll('mac');
    const after = async (seconds: number) => {
      await pass(seconds);
      return spoilAll('mac');
    };
    const given: number[] = [];
    for (const seconds of [59, 2, 59, 3, 100, 30]) given.push(await after(seconds));
    expect(given).toEqual([0, 1, 0, 1, 0, 1]);
  });
});

describe('a job of which every item is bad ends with its errors', () => {
  it('on the only worker, with no pause', async () => {
    await here('ann');
    const id = await job(300);
    await spoilAll('ann');
    expect(await itemsOf(id)).toMatchObject({ error: 300, open: 0 });
    expect(db.store.doubts()).toEqual([]);
  });

  it('on several, with no pause once each has tried', async () => {
    await here('ann', 'bob');
    const id = await job(300);
    await spoilAll('ann');
    await spoilAll('bob');
    await spoilAll('ann');
    expect(await itemsOf(id)).toMatchObject({ error: 300, open: 0 });
  });

  it('beside a worker that is here and takes none of it, after five minutes', async () => {
    await here('ann', 'idle');
    const id = await job(300);
    await spoilAll('ann');
    await pass(301);
    await spoilAll('ann');
    expect(await itemsOf(id)).toMatchObject({ error: 300, open: 0 });
  });
});

describe('a task that a worker gave up with an error', () => {
  it('goes to another, where there is one', async () => {
    await here('broken', 'ann');
    const id = await job(3 * SHARD);
    const [task] = await asks('broken');
    if (task === undefined) throw new Error('nothing to lease');
    await db.store.report('broken', [failure(task)]);
    const others = [...(await asks('broken')), ...(await asks('broken')), ...(await asks('broken'))];
    expect(others.map(({ taskId }) => taskId)).not.toContain(task.taskId);
    expect(others).toHaveLength(2);
    expect(await asks('ann')).toMatchObject([{ taskId: task.taskId, attempt: 2 }]);
    expect(await itemsOf(id)).toMatchObject({ failed: 0 });
  });

  it('T6: comes back to it at once, where there is no other', async () => {
    await here('broken');
    const id = await job(SHARD);
    for (const attempt of [1, 2, 3]) {
      const [task] = await asks('broken');
      if (task === undefined) throw new Error('nothing to lease');
      expect(task.attempt).toBe(attempt);
      await db.store.report('broken', [failure(task)]);
    }
    expect(await itemsOf(id)).toMatchObject({ failed: SHARD, open: 0 });
  });

  it('T6: comes back to it at once where the others can only do another job', async () => {
    await here('broken', 'ann');
    await job(20 * SHARD);
    await spoilAll('broken');
    expect(db.store.doubts()).toHaveLength(1);
    const own = { job_type: 'noop', model: 'own' } as const;
    const id = await submitJob(db.store, { items: SHARD, shardSize: SHARD, model: own.model });
    for (const attempt of [1, 2, 3]) {
      now += 1000;
      const call = { worker: 'broken', boot: 'boot-of-broken', limit: null, slots: 4, renews: true };
      const [task] = (await db.store.lease({ ...call, offers: [...NOOP, own] })).tasks;
      expect(task).toMatchObject({ jobId: id, attempt });
      if (task !== undefined) await db.store.report('broken', [failure(task)]);
    }
  });

  it('comes back to it after a minute, if none has taken it', async () => {
    await here('broken', 'idle');
    await job(SHARD);
    const [task] = await asks('broken');
    if (task === undefined) throw new Error('nothing to lease');
    await db.store.report('broken', [failure(task)]);
    expect(await asks('broken')).toEqual([]);
    await db.sql`update leases set leased_at = leased_at - interval '61 seconds'`;
    now += 1000;
    expect(await asks('broken')).toMatchObject([{ taskId: task.taskId, attempt: 2 }]);
  });

  it('is failed by no broken worker alone, however many it gives up', async () => {
    await here('broken', 'ann');
    const id = await job(100 * SHARD);
    for (let n = 0; n < 200; n += 1) {
      const tasks = await asks('broken');
      if (tasks.length === 0) break;
      await db.store.report(
        'broken',
        tasks.map((task) => failure(task)),
      );
    }
    const [given] = await db.sql`select count(*)::int as up from tasks where errors > 0`;
    expect(given?.['up']).toBeLessThanOrEqual(5 + 8 + 1);
    await finishAll('ann');
    expect(await itemsOf(id)).toMatchObject({ ok: 100 * SHARD, open: 0 });
  });
});
