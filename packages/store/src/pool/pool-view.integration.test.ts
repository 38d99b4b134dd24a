import { describe, expect, it } from 'vitest';
import type { Job } from '../jobs/job.ts';
import { completion, expireLeases, fileStore, leaseTasks, NOOP, submitJob } from '../testing/index.ts';
import type { JobExplanation } from './pool-view.ts';

const db = fileStore();

const beat = (
  worker: string,
  over: { readonly pace?: number; readonly model?: string; readonly offline?: boolean } = {},
) =>
  db.store.heartbeat({
    worker,
    boot: `boot-of-${worker}`,
    hostname: 'h',
    jobTypes: ['noop'],
    models: [over.model ?? 'noop'],
    concurrency: 1,
    leaseLimit: 1,
    rates: over.pace === undefined ? [] : [{ ...NOOP[0], items_per_second: over.pace }],
    offline: over.offline ?? false,
    formerBoots: null,
  });

async function jobOf(id: string): Promise<Job> {
  const job = await db.store.readJob(id);
  if (job === null) throw new Error(`there is no job ${id}`);
  return job;
}
const explain = async (id: string): Promise<JobExplanation> => db.store.explainJob(await jobOf(id));
/** Lets everything of a job's tallies have happened so long before. */
const age = (seconds: number) => db.sql`
  update job_tallies set first_at = first_at - ${seconds}::float8 * interval '1 second', last_at = last_at - ${seconds}::float8 * interval '1 second'`;

describe('what a job waits for', () => {
  it('goes from no worker over next, running and held to its end', async () => {
    const id = await submitJob(db.store, { items: 20, shardSize: 10 });
    expect(await explain(id)).toMatchObject({ wait: { code: 'waiting_for_worker' }, forecast: 'no_worker' });
    await beat('ann');
    expect(await explain(id)).toMatchObject({ wait: { code: 'next_in_line' }, forecast: 'nothing_measured' });
    await beat('ann', { pace: 2 });
    const next = await explain(id);
    expect(next).toMatchObject({ wait: { code: 'next_in_line' }, reportedRate: 2, measuredRate: 0 });
    // 20 items and half of a task of ten, at two a second.
    expect(next.forecast).toMatchObject({ likely: 12.5 });
    const [first] = await leaseTasks(db.store, 'ann');
    expect((await explain(id)).wait).toMatchObject({ code: 'running', held: { tasks: 1, workers: 1 } });
    const [second] = await leaseTasks(db.store, 'ann');
    expect((await explain(id)).wait).toMatchObject({ code: 'all_leased', held: { tasks: 2 } });
    await beat('bob', { pace: 2 });
    expect((await explain(id)).wait).toMatchObject({ code: 'only_slow_holder', workers: 2, busyWorkers: 1 });
    await db.store.report(
      'ann',
      [first, second].flatMap((task) => (task === undefined ? [] : [completion(task)])),
    );
    expect(await explain(id)).toMatchObject({ wait: { code: 'finished' }, forecast: 'not_open' });
  });

  it('counts the jobs before it in the order of service, of its own workers only', async () => {
    await beat('ann', { pace: 1 });
    await submitJob(db.store, { items: 5 });
    await submitJob(db.store, { items: 500, priority: 1 });
    await submitJob(db.store, { items: 1, model: 'foreign' });
    const id = await submitJob(db.store, { items: 50 });
    await submitJob(db.store, { items: 600 });
    const { wait, forecast } = await explain(id);
    expect(wait).toMatchObject({ code: 'behind_other_jobs', jobsBefore: 2, itemsBefore: 505 });
    expect(forecast).toMatchObject({ likely: 560 });
  });

  it('tells of a holder that is silent, and when its leases end', async () => {
    const id = await submitJob(db.store, { items: 1 });
    await beat('ann', { pace: 1 });
    await beat('bob', { pace: 1 });
    await leaseTasks(db.store, 'ann');
    await db.sql`update tasks set lease_until = now() + interval '40 seconds'`;
    await db.sql`update workers set last_heartbeat_at = now() - interval '2 minutes' where id = 'ann'`;
    const { wait, forecast } = await explain(id);
    expect(wait).toMatchObject({ code: 'only_slow_holder', held: { absentWorkers: 1 } });
    expect(wait.held.absentSecondsLeft).toBeGreaterThan(30);
    if (typeof forecast === 'string') throw new Error(forecast);
    // Bob is given a copy, unless something comes between.
    expect(forecast.likely).toBeLessThan(5);
    expect(forecast.high).toBeGreaterThan(30);
  });

  it('of a job that was cancelled is nothing', async () => {
    const id = await submitJob(db.store, { items: 1 });
    await db.store.cancelJob(id);
    expect(await explain(id)).toMatchObject({ wait: { code: 'cancelled' }, forecast: 'not_open' });
  });
});

describe('what is measured', () => {
  /** Ann does this many tasks of a job of 100, by tens. */
  async function done(tasks: number): Promise<string> {
    const id = await submitJob(db.store, { items: 100, shardSize: 10 });
    await beat('ann', { pace: 4 });
    const leased = await leaseTasks(db.store, 'ann', tasks + 1);
    await db.store.report(
      'ann',
      leased.slice(0, tasks).map((task) => completion(task)),
    );
    return id;
  }

  it('is what was reported in the last minutes, older items counting for less', async () => {
    const id = await done(6);
    await db.sql`update job_tallies set first_at = now() - interval '100 seconds'`;
    // 60 items in the last of 100 s, which count in full.
    expect((await explain(id)).measuredRate).toBeCloseTo(60 / (300 * -Math.expm1(-100 / 300)), 1);
    await age(300);
    expect((await explain(id)).measuredRate).toBeCloseTo(60 / Math.E / (300 * -Math.expm1(-400 / 300)), 1);
    await age(1e9);
    expect((await explain(id)).measuredRate).toBe(0);
  });

  it('is faded when more is reported, and not lost', async () => {
    const id = await done(2);
    await age(300);
    const more = await leaseTasks(db.store, 'ann', 3);
    await db.store.report(
      'ann',
      more.map((task) => completion(task)),
    );
    const [row] = await db.sql<
      { recent_items: number }[]
    >`select recent_items from job_tallies where worker_id = 'ann' and job_id = ${id}`;
    expect(row?.recent_items).toBeCloseTo(20 / Math.E + 30, 1);
  });

  it('survives whatever the clock does and however little is left', async () => {
    const id = await done(1);
    for (const seconds of [1e9, 1e9, -1e9]) {
      await age(seconds);
      await leaseTasks(db.store, 'ann');
    }
    expect((await explain(id)).measuredRate).toBeGreaterThanOrEqual(0);
  });

  it('widens the range where it is less than what the worker tells', async () => {
    const id = await done(1);
    await db.sql`update job_tallies set first_at = now() - interval '100 seconds'`;
    const { forecast } = await explain(id);
    if (typeof forecast === 'string') throw new Error(forecast);
    expect(forecast.low).toBeLessThan(90 / 4);
    expect(forecast.likely).toBeGreaterThan(90 / 4);
    expect(forecast.high).toBeGreaterThan(forecast.likely * 1.15);
  });

  it('takes a worker that has lost leases of an open job for one that may sleep', async () => {
    await done(1);
    const sleeper = async () => (await db.store.pool()).workers.map(({ mayLeave }) => mayLeave);
    expect(await sleeper()).toEqual([false]);
    await expireLeases(db.sql);
    await db.store.reclaim({ force: true });
    expect(await sleeper()).toEqual([true]);
  });
});

describe('the pool', () => {
  it('shows what a worker holds, by job, and who has leased without a heartbeat', async () => {
    const one = await submitJob(db.store, { items: 20, shardSize: 10 });
    const other = await submitJob(db.store, { items: 30, shardSize: 10 });
    await beat('ann');
    await leaseTasks(db.store, 'ann', 3);
    await leaseTasks(db.store, 'bob', 1);
    await db.sql`update leases set leased_at = now() - interval '70 seconds' where task_id = 1`;
    const { workers } = await db.store.pool();
    expect(workers).toMatchObject([
      {
        id: 'ann',
        alive: true,
        held: [
          { jobId: one, jobType: 'noop', model: 'noop', tasks: 2, items: 20 },
          { jobId: other, tasks: 1, items: 10 },
        ],
      },
      { id: 'bob', alive: false, held: [{ jobId: other, tasks: 1 }] },
    ]);
    expect(workers[0]?.held[0]?.oldestSeconds).toBeGreaterThanOrEqual(70);
    expect(workers[0]?.held[1]?.oldestSeconds).toBeLessThan(60);
    expect(workers[0]?.held[0]?.secondsLeft).toBeGreaterThan(500);
  });

  it('shows what a worker runs copies of, until it has ended', async () => {
    await beat('ann', { pace: 0.01 });
    await beat('bob', { pace: 100 });
    const id = await submitJob(db.store, { items: 10, shardSize: 10 });
    const [task] = await leaseTasks(db.store, 'ann');
    const offers = [{ ...NOOP[0], itemsPerSecond: 100 }];
    const { tasks } = await db.store.lease({
      worker: 'bob',
      boot: 'boot-of-bob',
      limit: null,
      slots: 1,
      offers,
      renews: true,
      copies: true,
    });
    expect(tasks).toMatchObject([{ copy: true }]);
    const copying = async () => (await db.store.pool()).workers.map(({ held, copies }) => [held, copies]);
    expect(await copying()).toMatchObject([
      [[{ jobId: id, tasks: 1, items: 10 }], []],
      [[], [{ jobId: id, jobType: 'noop', model: 'noop', tasks: 1 }]],
    ]);
    expect((await explain(id)).wait.code).toBe('all_leased');
    await db.store.report('ann', task === undefined ? [] : [completion(task)]);
    expect(await copying()).toEqual([
      [[], []],
      [[], []],
    ]);
  });

  it('has the open jobs alone, also those of which all is held', async () => {
    const held = await submitJob(db.store, { items: 1 });
    const [task] = await leaseTasks(db.store, 'ann');
    const cancelled = await submitJob(db.store, { items: 1 });
    await db.store.cancelJob(cancelled);
    const pending = await submitJob(db.store, { items: 2 });
    const ids = async () => (await db.store.pool()).jobs.map(({ id }) => id);
    expect(await ids()).toEqual([held, pending]);
    await db.store.report('ann', task === undefined ? [] : [completion(task)]);
    expect(await ids()).toEqual([pending]);
  });

  it('what a worker last ran stays known', async () => {
    await beat('ann');
    await beat('bob');
    const id = await submitJob(db.store, { items: 1 });
    await submitJob(db.store, { items: 1, model: 'later' });
    const [task] = await leaseTasks(db.store, 'ann');
    await db.store.report('ann', task === undefined ? [] : [completion(task)]);
    await jobOf(id);
    const ran = async () => (await db.store.listWorkers()).map(({ lastRan }) => lastRan);
    expect(await ran()).toEqual([{ jobType: 'noop', model: 'noop' }, null]);
    await db.store.lease({
      worker: 'ann',
      boot: 'boot-of-ann',
      limit: 1,
      offers: [{ job_type: 'noop', model: 'later' }],
      renews: false,
    });
    expect(await ran()).toEqual([{ jobType: 'noop', model: 'later' }, null]);
  });
});
