import { expect, it } from 'vitest';
import type { Store } from '../store.ts';
import {
  audit,
  completion,
  expireLeases,
  failure,
  fileStore,
  itemError,
  leaseTasks,
  numberedItems,
  rowCounts,
  submitJob,
} from '../testing/index.ts';

const db = fileStore();
const MONTH_SECONDS = 30 * 24 * 3600;
const ALL = { olderThanSeconds: MONTH_SECONDS, rowLimit: 1_000_000 };
const NOTHING = { jobs: 0, items: 0, tasks: 0, payloadBytes: 0 };

/** Moves the end of a job back by this many days. */
async function endedDaysAgo(jobId: string, days: number): Promise<void> {
  await db.sql`
    update jobs set finished_at = finished_at - make_interval(days => ${days}), cancelled_at = cancelled_at - make_interval(days => ${days})
    where id = ${jobId}`;
}

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
  await endedDaysAgo(jobId, 40);
  return jobId;
}

async function submitKeyed(store: Store, idempotencyKey: string, reuse = true, items = numberedItems(6)) {
  return store.submit(
    {
      jobType: 'chat',
      model: 'm',
      params: '{}',
      shardSize: 2,
      retryOn: 'attempts',
      idempotencyKey,
      reuse,
    },
    items,
    () => 'digest',
  );
}

async function runChat(): Promise<void> {
  const offers = [{ jobType: 'chat', model: 'm' }] as const;
  const { tasks } = await db.store.lease({ worker: 'ann', boot: 'b', limit: 100, offers, renews: false });
  await db.store.report(
    'ann',
    tasks.map((task) => completion(task)),
  );
}

/** Counts the rows of a job in all tables. */
async function rowsOf(jobId: string): Promise<number> {
  const [row] = await db.sql<{ rows: number }[]>`
    select ((select count(*) from jobs where id = ${jobId}) + (select count(*) from items where job_id = ${jobId})
      + (select count(*) from tasks where job_id = ${jobId}) + (select count(*) from results where job_id = ${jobId})
      + (select count(*) from ledger where job_id = ${jobId}) + (select count(*) from job_tallies where job_id = ${jobId})
      + (select count(*) from events where job_id = ${jobId}) + (select count(*) from job_models where job_id = ${jobId}))::int as rows`;
  return row?.rows ?? Number.NaN;
}

it('deletes a job that ended long ago with all its rows, and keeps its counts and the other jobs', async () => {
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
  await expireLeases(db.sql);
  await db.store.reclaim({ force: true });
  await finishAll();
  const kept = await oldJob(4);
  await endedDaysAgo(kept, -20);
  const running = await submitJob(db.store, { items: 3 });
  await endedDaysAgo(old, 31);
  const workers = await Promise.all(['ann', 'bob'].map((worker) => heartbeat(worker)));
  const before = await db.store.pulse();
  expect(workers).toHaveLength(2);
  const counted = await workerCounters();

  const { jobs, rows, left } = await db.store.prune(ALL);
  expect({ jobs, left }).toEqual({ jobs: 1, left: NOTHING });
  expect(rows).toBeGreaterThan(30);
  expect(await rowsOf(old)).toBe(0);
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

it('deletes a job that was cancelled long ago, and keeps unfinished and recent ones', async () => {
  const unended = await submitJob(db.store, { items: 1 });
  await db.sql`update jobs set created_at = now() - interval '1 year'`;
  const cancelled = await submitJob(db.store, { items: 5, shardSize: 1 });
  await db.store.cancelJob(cancelled);
  await endedDaysAgo(cancelled, 40);
  const young = await submitJob(db.store, { items: 1 });
  await db.store.cancelJob(young);
  await endedDaysAgo(young, 1);
  expect(await db.store.prunable(MONTH_SECONDS)).toMatchObject({ jobs: 1, items: 5, tasks: 5 });
  expect(await db.store.prune(ALL)).toMatchObject({ jobs: 1, left: NOTHING });
  expect(await rowsOf(cancelled)).toBe(0);
  expect(await db.store.readJob(unended)).not.toBeNull();
  expect(await db.store.readJob(young)).not.toBeNull();
});

it('deletes a bounded number of rows per call, and hides the job from the first call on', async () => {
  const old = await oldJob(100, 2);
  const other = await submitJob(db.store, { items: 1 });
  const total = Object.values(await rowCounts(db.sql)).reduce((sum, rows) => sum + rows, 0);
  let deleted = 0;
  let calls = 0;
  let items = Number.POSITIVE_INFINITY;
  for (;;) {
    const { rows, jobs, left } = await db.store.prune({ ...ALL, rowLimit: 30 });
    expect(rows).toBeLessThanOrEqual(35);
    deleted += rows;
    calls += 1;
    expect(await db.store.readJob(old)).toBeNull();
    expect(await db.store.listJobs({ owner: null, before: null, limit: 10 })).toHaveLength(1);
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
  expect(await rowsOf(old)).toBe(0);
  expect(deleted).toBeLessThan(total);
  expect(await db.store.readJob(other)).not.toBeNull();
  expect(await audit(db.url)).toEqual([]);
});

it('continues an interrupted prune, whatever age the call names', async () => {
  const old = await oldJob(50, 1);
  await db.store.prune({ ...ALL, rowLimit: 20 });
  expect(await rowsOf(old)).toBeGreaterThan(50);
  // The job is hidden: even its failed tasks can't be retried.
  await db.sql`update tasks set status = 'failed', outcome_count = 0, error = '{}', assigned_worker = null`;
  expect(await db.store.retryJob(old, { items: true })).toEqual({ tasks: 0, items: 0 });
  expect(await db.store.prune({ ...ALL, olderThanSeconds: 10 * 365 * 24 * 3600 })).toMatchObject({ jobs: 1 });
  expect(await rowsOf(old)).toBe(0);
});

it('deletes everything when four prunes run at once', async () => {
  const jobs = [await oldJob(300, 1), await oldJob(20, 3), await oldJob(50, 1)];
  const prune = async () => {
    while ((await db.store.prune({ ...ALL, rowLimit: 40 })).left.jobs > 0);
  };
  await Promise.all([prune(), prune(), prune(), prune()]);
  for (const job of jobs) expect(await rowsOf(job)).toBe(0);
  expect(await db.sql`select from leases`).toHaveLength(0);
  expect(await db.sql`select sum(items_ok)::int as ok from pruned_tallies`).toEqual([{ ok: 370 }]);
});

it('T9: refuses late reports for a job during and after its prune, and leaves no row', async () => {
  const old = await submitJob(db.store, { items: 40, shardSize: 1 });
  const tasks = await leaseTasks(db.store, 'bob', 40);
  await db.sql`update tasks set status = 'failed', error = '{}', lease_until = null, assigned_worker = null`;
  await db.sql`update job_tallies set leased = 0, failed = 40, pending = 0 where worker_id = 'bob'`;
  await db.sql`update job_tallies set pending = 0 where worker_id = ''`;
  await db.sql`update jobs set finished_at = now() - interval '40 days'`;
  const [, late] = await Promise.all([
    db.store.prune({ ...ALL, rowLimit: 50 }),
    db.store.report(
      'bob',
      tasks.map((task) => completion(task)),
    ),
  ]);
  expect(late.filter(({ outcome }) => outcome !== 'accepted' && outcome !== 'refused')).toEqual([]);
  await db.store.prune(ALL);
  expect(
    await db.store.report(
      'bob',
      tasks.map((task) => completion(task)),
    ),
  ).toEqual(tasks.map(() => ({ outcome: 'refused', status: null, code: 'not_found' })));
  expect(await rowsOf(old)).toBe(0);
  expect(await db.sql`select from leases`).toHaveLength(0);
});

it('I6: frees the idempotency key when the job is marked', async () => {
  const first = await submitKeyed(db.store, 'key');
  await runChat();
  expect(await submitKeyed(db.store, 'key')).toEqual({ ...first, outcome: 'existing' });
  if (!('jobId' in first)) throw new Error('The job was not created.');
  await endedDaysAgo(first.jobId, 40);
  await db.store.prune({ ...ALL, rowLimit: 1 });
  const second = await submitKeyed(db.store, 'key', false);
  expect(second).toMatchObject({ outcome: 'created' });
  await db.store.prune(ALL);
  expect(await rowsOf(first.jobId)).toBe(0);
  expect(second).not.toMatchObject({ jobId: first.jobId });
});

it('I6: leaves a job that a submission with its key has locked for the next prune', async () => {
  const first = await submitKeyed(db.store, 'key');
  await runChat();
  if (!('jobId' in first)) throw new Error('The job was not created.');
  await endedDaysAgo(first.jobId, 40);
  const prunes: unknown[] = [];
  const again = await submitKeyed(
    db.store,
    'key',
    true,
    (async function* () {
      prunes.push(await db.store.prune(ALL));
      yield { id: 'item-0', payload: '1' };
    })(),
  );
  expect(again).toEqual({ outcome: 'existing', jobId: first.jobId });
  expect(prunes).toMatchObject([{ jobs: 0, left: { jobs: 1 } }]);
  expect(await db.store.prune(ALL)).toMatchObject({ jobs: 1 });
});

it('I3: keeps outcomes that a newer job reused, and runs later equal items again', async () => {
  const first = await submitKeyed(db.store, 'one');
  await runChat();
  const second = await submitKeyed(db.store, 'two');
  if (!('jobId' in first && 'jobId' in second)) throw new Error('The job was not created.');
  expect(await db.store.readJob(second.jobId)).toMatchObject({ reused: 6, state: 'done' });
  await endedDaysAgo(first.jobId, 40);
  await db.store.prune(ALL);
  expect(await rowsOf(first.jobId)).toBe(0);
  const pages: unknown[] = [];
  for await (const page of db.store.results(second.jobId, 6)) pages.push(...page);
  expect(pages).toHaveLength(6);
  expect(pages[0]).toMatchObject({ output: '{"ok":true}', reused: true, model: 'noop' });
  expect(await audit(db.url)).toEqual([]);
  const third = await submitKeyed(db.store, 'three');
  if (!('jobId' in third)) throw new Error('The job was not created.');
  expect(await db.store.readJob(third.jobId)).toMatchObject({ reused: 0, tasks: { pending: 3 } });
});

it('fails a download of a job that is pruned meanwhile, instead of ending it early', async () => {
  const old = await oldJob(4000, 1000);
  const pages = db.store.results(old, 4000)[Symbol.asyncIterator]();
  expect((await pages.next()).value).toHaveLength(1000);
  await db.store.prune(ALL);
  const rest = async () => {
    while (!((await pages.next()).done ?? false));
  };
  await expect(rest()).rejects.toThrow(/was pruned while its results were being read/);
});

it('deletes a job of an earlier release, whose range of task ids is unknown', async () => {
  const old = await oldJob(30, 1);
  await db.sql`update jobs set first_task_id = null, last_task_id = null`;
  expect(await db.store.prune(ALL)).toMatchObject({ jobs: 1, left: NOTHING });
  expect(await rowsOf(old)).toBe(0);
});
