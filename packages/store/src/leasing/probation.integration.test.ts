import { beforeEach, describe, expect, it } from 'vitest';
import { createStore } from '../create-store.ts';
import type { Store } from '../store.ts';
import type { LeasedTask } from '../tasks/leased-tasks.ts';
import { completion, failure, fileStore, itemError, NOOP, submitJob } from '../testing/index.ts';

let now = 0;
const db = fileStore({ monotonicMs: () => now });
beforeEach(() => {
  now += 10_000; // the caches of the test before are too old
});

const SHARD = 5;
/** Items that can fail before a worker with four slots is on probation: six errors, while it holds a lease. */
const MAX_FAILED = 5 + 2 * 4 + SHARD;

async function connect(...workers: readonly string[]): Promise<void> {
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

async function lease(worker: string, store: Store = db.store): Promise<LeasedTask[]> {
  const boot = `boot-of-${worker}`;
  const call = { worker, boot, limit: null, slots: 4, offers: NOOP, renews: true, acceptsCopies: true };
  return (await store.lease(call)).tasks;
}

/** Reports an error for each item. */
async function failItems(
  worker: string,
  tasks: readonly LeasedTask[],
  store: Store = db.store,
): Promise<void> {
  const outcomesOf = (task: LeasedTask) => task.items.map(({ itemId }) => itemError(itemId));
  await store.report(
    worker,
    tasks.map((task) => ({ ...completion(task), outcomes: outcomesOf(task) })),
  );
}

/** Moves the time on, for this process and in the tallies. */
async function advance(seconds: number): Promise<void> {
  now += seconds * 1000;
  await db.sql`update job_tallies set last_leased_at = last_leased_at - ${seconds}::float8 * interval '1 second'`;
}

/** Leases and fails items until the worker gets nothing. Returns the number of leases. */
async function failAllItems(worker: string): Promise<number> {
  for (let leases = 0; ; leases += 1) {
    const tasks = await lease(worker);
    if (tasks.length === 0) return leases;
    await failItems(worker, tasks);
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
    const tasks = await lease(worker);
    if (tasks.length === 0) return;
    await finish(worker, tasks);
  }
}

const job = (items: number) => submitJob(db.store, { items, shardSize: SHARD });
const itemsOf = async (id: string) => (await db.store.readJob(id))?.items;

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
    const other = createStore({ url: db.url, monotonicMs: () => now });
    try {
      await finish('ann', await lease('ann'));
      await lease('ann', other); // both have read the histories, and do not read again while the clock stands still
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
  it('gets one task at once after a restart, and leaves probation when its items are ok', async () => {
    await connect('mac', 'ann');
    await job(1000);
    await finish('ann', await lease('ann'));
    await failAllItems('mac');
    await heartbeat('mac', 'next');
    now += 1000;
    for (let tries = 0; ; tries += 1) {
      const tasks = await lease('mac');
      if (tasks.length > 1 || db.store.workersOnProbation().length === 0) break;
      expect(tasks).toHaveLength(1);
      expect(await lease('mac')).toEqual([]); // one task at a time
      await finish('mac', tasks);
      expect(tries).toBeLessThan(5);
      now += 1000;
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

  it('ends after five minutes beside a worker that is alive and takes none of it', async () => {
    await connect('ann', 'idle');
    const id = await job(300);
    await failAllItems('ann');
    await advance(301);
    await failAllItems('ann');
    expect(await itemsOf(id)).toMatchObject({ error: 300, open: 0 });
  });
});

describe('a task that a worker gave up with an error', () => {
  it('goes to another worker', async () => {
    await connect('broken', 'ann');
    const id = await job(3 * SHARD);
    const [task] = await lease('broken');
    if (task === undefined) throw new Error('There was nothing to lease.');
    await db.store.report('broken', [failure(task)]);
    const others = [...(await lease('broken')), ...(await lease('broken')), ...(await lease('broken'))];
    expect(others.map(({ taskId }) => taskId)).not.toContain(task.taskId);
    expect(others).toHaveLength(2);
    expect(await lease('ann')).toMatchObject([{ taskId: task.taskId, attempt: 2 }]);
    expect(await itemsOf(id)).toMatchObject({ failed: 0 });
  });

  it('T6: goes back to the same worker at once when there is no other', async () => {
    await connect('broken');
    const id = await job(SHARD);
    for (const attempt of [1, 2, 3]) {
      const [task] = await lease('broken');
      if (task === undefined) throw new Error('There was nothing to lease.');
      expect(task.attempt).toBe(attempt);
      await db.store.report('broken', [failure(task)]);
    }
    expect(await itemsOf(id)).toMatchObject({ failed: SHARD, open: 0 });
  });

  it('T6: goes back to the same worker at once when the others do not offer its work kind', async () => {
    await connect('broken', 'ann');
    await job(20 * SHARD);
    await failAllItems('broken');
    expect(db.store.workersOnProbation()).toHaveLength(1);
    const own = { jobType: 'noop', model: 'own' } as const;
    const id = await submitJob(db.store, { items: SHARD, shardSize: SHARD, model: own.model });
    for (const attempt of [1, 2, 3]) {
      now += 1000;
      const call = { worker: 'broken', boot: 'boot-of-broken', limit: null, slots: 4, renews: true };
      const [task] = (await db.store.lease({ ...call, offers: [...NOOP, own] })).tasks;
      expect(task).toMatchObject({ jobId: id, attempt });
      if (task !== undefined) await db.store.report('broken', [failure(task)]);
    }
  });

  it('goes back to the same worker after a minute when no other has taken it', async () => {
    await connect('broken', 'idle');
    await job(SHARD);
    const [task] = await lease('broken');
    if (task === undefined) throw new Error('There was nothing to lease.');
    await db.store.report('broken', [failure(task)]);
    expect(await lease('broken')).toEqual([]);
    await db.sql`update leases set leased_at = leased_at - interval '61 seconds'`;
    now += 1000;
    expect(await lease('broken')).toMatchObject([{ taskId: task.taskId, attempt: 2 }]);
  });

  it('never fails because of one broken worker alone', async () => {
    await connect('broken', 'ann');
    const id = await job(100 * SHARD);
    for (let n = 0; n < 200; n += 1) {
      const tasks = await lease('broken');
      if (tasks.length === 0) break;
      await db.store.report(
        'broken',
        tasks.map((task) => failure(task)),
      );
    }
    const [failed] = await db.sql`select count(*)::int as tasks from tasks where errors > 0`;
    expect(failed?.['tasks']).toBeLessThanOrEqual(5 + 8 + 1);
    await finishAll('ann');
    expect(await itemsOf(id)).toMatchObject({ ok: 100 * SHARD, open: 0 });
  });
});
