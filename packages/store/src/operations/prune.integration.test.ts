import { expect, it } from 'vitest';
import { moveEndBack, PRUNE_ALL, rowsOf } from '../testing/ended-jobs.ts';
import {
  audit,
  completion,
  failure,
  itemError,
  leaseTasks,
  makeLeasesPass,
  rowCounts,
  sharedStore,
  submitJob,
} from '../testing/index.ts';

const db = sharedStore();
const NOTHING = { jobs: 0, items: 0, tasks: 0, payloadBytes: 0 };

/** Leases and completes tasks until nothing is pending. */
async function finishAll(worker = 'ann'): Promise<void> {
  for (;;) {
    const tasks = await leaseTasks(db.store, worker, 100);
    if (tasks.length === 0) return;
    await db.store.report(
      worker,
      tasks.map((task) => completion(task)),
    );
  }
}

/** Submits and finishes a job, and moves its end back by 40 days. */
async function oldJob(items: number, shardSize = 10): Promise<string> {
  const jobId = await submitJob(db.store, { items, shardSize });
  await finishAll();
  await moveEndBack(db.sql, jobId, 40);
  return jobId;
}

it('a prune deletes a job that ended long ago with all its rows, and keeps its counts and the other jobs', async () => {
  const old = await submitJob(db.store, { items: 10, shardSize: 2 });
  const [lost, broken, odd] = await leaseTasks(db.store, 'bob', 3);
  if (lost === undefined || broken === undefined || odd === undefined)
    throw new Error('There was nothing to lease.');
  await db.store.report('bob', [
    failure(broken),
    {
      ...completion(odd),
      outcomes: [...completion(odd).outcomes.slice(1), itemError(odd.items[0]?.itemId ?? '')],
    },
  ]);
  await makeLeasesPass(db.sql);
  await db.store.reclaim({ force: true });
  await finishAll();
  const kept = await oldJob(4);
  await moveEndBack(db.sql, kept, -20);
  const running = await submitJob(db.store, { items: 3 });
  await moveEndBack(db.sql, old, 31);
  const workers = await Promise.all(['ann', 'bob'].map((worker) => heartbeat(worker)));
  const before = await db.store.pulse();
  expect(workers).toHaveLength(2);
  const counted = await workerCounters();

  const { jobs, rows, left } = await db.store.prune(PRUNE_ALL);
  expect({ jobs, left }).toEqual({ jobs: 1, left: NOTHING });
  expect(rows).toBeGreaterThan(30);
  expect(await rowsOf(db.sql, old)).toBe(0);
  expect(await db.sql`select from leases where task_id not in (select id from tasks)`).toHaveLength(0);
  expect(await db.store.readJob(old)).toBeNull();
  expect(await db.store.readJob(kept)).toMatchObject({ items: { ok: 4 } });
  expect(await db.store.readJob(running)).toMatchObject({ state: 'queued' });
  expect(await audit(db.url)).toEqual([]);
  expect(await workerCounters()).toEqual(counted);
  const after = await db.store.pulse();
  for (const name of ['leasesGranted', 'leasesExpired', 'tasksDone', 'tasksFailed', 'itemsOk'] as const)
    expect(after[name]).toBe(before[name]);
});

function heartbeat(worker: string): Promise<unknown> {
  return db.store.heartbeat({
    worker,
    boot: 'b',
    hostname: 'mac',
    jobTypes: ['noop'],
    models: ['noop'],
    concurrency: 1,
    leaseLimit: 1,
    offline: false,
    formerBoots: null,
  });
}

async function workerCounters(): Promise<unknown> {
  return (await db.store.listWorkers()).map(({ worker, tasksDone, tasksFailed }) => ({
    worker,
    tasksDone,
    tasksFailed,
  }));
}

it('a prune deletes a job that was cancelled long ago, and keeps unfinished and recent ones', async () => {
  const unended = await submitJob(db.store, { items: 1 });
  await db.sql`update jobs set created_at = now() - interval '1 year'`;
  const cancelled = await submitJob(db.store, { items: 5, shardSize: 1 });
  await db.store.cancelJob(cancelled);
  await moveEndBack(db.sql, cancelled, 40);
  const young = await submitJob(db.store, { items: 1 });
  await db.store.cancelJob(young);
  await moveEndBack(db.sql, young, 1);
  expect(await db.store.prunable(PRUNE_ALL.olderThanSeconds)).toMatchObject({ jobs: 1, items: 5, tasks: 5 });
  expect(await db.store.prune(PRUNE_ALL)).toMatchObject({ jobs: 1, left: NOTHING });
  expect(await rowsOf(db.sql, cancelled)).toBe(0);
  expect(await db.store.readJob(unended)).not.toBeNull();
  expect(await db.store.readJob(young)).not.toBeNull();
});

it('a prune deletes a bounded number of rows per call, and hides the job from the first call on', async () => {
  const old = await oldJob(100, 2);
  const other = await submitJob(db.store, { items: 1 });
  const total = Object.values(await rowCounts(db.sql)).reduce((sum, rows) => sum + rows, 0);
  let deleted = 0;
  let calls = 0;
  let items = Number.POSITIVE_INFINITY;
  for (;;) {
    const { rows, jobs, left } = await db.store.prune({ ...PRUNE_ALL, rowLimit: 30 });
    expect(rows).toBeLessThanOrEqual(35);
    deleted += rows;
    calls += 1;
    expect(await db.store.readJob(old)).toBeNull();
    expect((await db.store.listJobs({ owner: null, limit: 10 })).jobs).toHaveLength(1);
    expect(await db.store.retryJob(old, { items: true })).toEqual({ tasks: 0, items: 0 });
    if (left.jobs === 0) {
      expect(jobs).toBe(1);
      break;
    }
    expect(jobs).toBe(0);
    expect(left.items + left.tasks).toBeLessThan(items);
    items = left.items + left.tasks;
  }
  expect(calls).toBeGreaterThan(8);
  expect(await rowsOf(db.sql, old)).toBe(0);
  expect(deleted).toBeLessThan(total);
  expect(await db.store.readJob(other)).not.toBeNull();
  expect(await audit(db.url)).toEqual([]);
});

it('a prune continues an interrupted one, even if the call names a higher age', async () => {
  const old = await oldJob(50, 1);
  await db.store.prune({ ...PRUNE_ALL, rowLimit: 20 });
  expect(await rowsOf(db.sql, old)).toBeGreaterThan(50);
  // The job is hidden: even its failed tasks can't be retried.
  await db.sql`update tasks set status = 'failed', outcome_count = 0, error = '{}', assigned_worker = null`;
  expect(await db.store.retryJob(old, { items: true })).toEqual({ tasks: 0, items: 0 });
  expect(await db.store.prune({ ...PRUNE_ALL, olderThanSeconds: 10 * 365 * 24 * 3600 })).toMatchObject({
    jobs: 1,
  });
  expect(await rowsOf(db.sql, old)).toBe(0);
});

it('four concurrent prunes delete everything', async () => {
  const jobs = [await oldJob(300, 1), await oldJob(20, 3), await oldJob(50, 1)];
  const prune = async () => {
    while ((await db.store.prune({ ...PRUNE_ALL, rowLimit: 40 })).left.jobs > 0);
  };
  await Promise.all([prune(), prune(), prune(), prune()]);
  for (const job of jobs) expect(await rowsOf(db.sql, job)).toBe(0);
  expect(await db.sql`select from leases`).toHaveLength(0);
  expect(await db.sql`select sum(items_ok)::int as ok from pruned_tallies`).toEqual([{ ok: 370 }]);
});

it('T9: a late report is refused during and after the prune of its job, and leaves no row', async () => {
  const old = await submitJob(db.store, { items: 40, shardSize: 1 });
  const tasks = await leaseTasks(db.store, 'bob', 40);
  await db.sql`update tasks set status = 'failed', error = '{}', lease_until = null, assigned_worker = null`;
  await db.sql`update job_tallies set leased = 0, failed = 40, pending = 0 where worker_id = 'bob'`;
  await db.sql`update job_tallies set pending = 0 where worker_id = ''`;
  await db.sql`update jobs set finished_at = now() - interval '40 days'`;
  const [, late] = await Promise.all([
    db.store.prune({ ...PRUNE_ALL, rowLimit: 50 }),
    db.store.report(
      'bob',
      tasks.map((task) => completion(task)),
    ),
  ]);
  expect(late.filter(({ outcome }) => outcome !== 'accepted' && outcome !== 'refused')).toEqual([]);
  await db.store.prune(PRUNE_ALL);
  expect(
    await db.store.report(
      'bob',
      tasks.map((task) => completion(task)),
    ),
  ).toEqual(tasks.map(() => ({ outcome: 'refused', status: null, code: 'not_found' })));
  expect(await rowsOf(db.sql, old)).toBe(0);
  expect(await db.sql`select from leases`).toHaveLength(0);
});

it('a download fails when its job is pruned during the download, instead of ending early', async () => {
  const old = await oldJob(4000, 1000);
  const pages = db.store.results(old, { itemCount: 4000 })[Symbol.asyncIterator]();
  expect((await pages.next()).value).toHaveLength(1000);
  await db.store.prune(PRUNE_ALL);
  const rest = async () => {
    while (!((await pages.next()).done ?? false));
  };
  await expect(rest()).rejects.toThrow(/was pruned while its results were being read/);
});

it('a prune deletes a job of an earlier release, whose range of task ids is unknown', async () => {
  const old = await oldJob(30, 1);
  await db.sql`update jobs set first_task_id = null, last_task_id = null`;
  expect(await db.store.prune(PRUNE_ALL)).toMatchObject({ jobs: 1, left: NOTHING });
  expect(await rowsOf(db.sql, old)).toBe(0);
});
