import { describe, expect, it } from 'vitest';
import type { Job } from '../jobs/job.ts';
import {
  completion,
  leaseTasks,
  makeLeasesPass,
  NOOP_OFFER,
  sharedStore,
  submitJob,
} from '../testing/index.ts';
import type { JobExplanation } from './explain-job.ts';

const db = sharedStore();

const heartbeat = (
  worker: string,
  over: { readonly rate?: number; readonly model?: string; readonly offline?: boolean } = {},
) =>
  db.store.heartbeat({
    worker,
    boot: `boot-of-${worker}`,
    hostname: 'h',
    jobTypes: ['noop'],
    models: [over.model ?? 'noop'],
    concurrency: 1,
    leaseLimit: 1,
    rates: over.rate === undefined ? [] : [{ ...NOOP_OFFER, itemsPerSecond: over.rate }],
    offline: over.offline ?? false,
    formerBoots: null,
  });

async function jobOf(id: string): Promise<Job> {
  const job = await db.store.readJob(id);
  if (job === null) throw new Error(`There is no job ${id}.`);
  return job;
}
const explain = async (id: string): Promise<JobExplanation> => db.store.explainJob(await jobOf(id));
/** Moves the times of all tallies back. */
const age = (seconds: number) => db.sql`
  update job_tallies set first_at = first_at - ${seconds}::float8 * interval '1 second', last_at = last_at - ${seconds}::float8 * interval '1 second'`;

describe('what a job waits for', () => {
  it('follows a job from its submission to its end', async () => {
    const id = await submitJob(db.store, { items: 20, shardSize: 10 });
    expect(await explain(id)).toMatchObject({ wait: { code: 'waiting_for_worker' }, estimate: 'no_worker' });
    await heartbeat('ann');
    expect(await explain(id)).toMatchObject({ wait: { code: 'next_in_line' }, estimate: 'nothing_measured' });
    await heartbeat('ann', { rate: 2 });
    const next = await explain(id);
    expect(next).toMatchObject({ wait: { code: 'next_in_line' }, reportedRate: 2, measuredRate: 0 });
    // 20 items and half of a task of 10 items, at 2 items a second.
    expect(next.estimate).toMatchObject({ likely: 12.5 });
    const [first] = await leaseTasks(db.store, 'ann');
    expect((await explain(id)).wait).toMatchObject({ code: 'running', held: { tasks: 1, workers: 1 } });
    const [second] = await leaseTasks(db.store, 'ann');
    expect((await explain(id)).wait).toMatchObject({ code: 'all_leased', held: { tasks: 2 } });
    await heartbeat('bob', { rate: 2 });
    expect((await explain(id)).wait).toMatchObject({ code: 'only_slow_holder', workers: 2, busyWorkers: 1 });
    await db.store.report(
      'ann',
      [first, second].flatMap((task) => (task === undefined ? [] : [completion(task)])),
    );
    expect(await explain(id)).toMatchObject({ wait: { code: 'finished' }, estimate: 'not_open' });
  });

  it('counts the jobs that its own workers serve before it', async () => {
    await heartbeat('ann', { rate: 1 });
    await submitJob(db.store, { items: 5 });
    await submitJob(db.store, { items: 500, priority: 1 });
    await submitJob(db.store, { items: 1, model: 'foreign' });
    const id = await submitJob(db.store, { items: 50 });
    await submitJob(db.store, { items: 600 });
    const { wait, estimate } = await explain(id);
    expect(wait).toMatchObject({ code: 'behind_other_jobs', jobsBefore: 2, itemsBefore: 505 });
    expect(estimate).toMatchObject({ likely: 560 });
  });

  it('reports a silent holder and when its leases end', async () => {
    const id = await submitJob(db.store, { items: 1 });
    await heartbeat('ann', { rate: 1 });
    await heartbeat('bob', { rate: 1 });
    await leaseTasks(db.store, 'ann');
    await db.sql`update tasks set lease_until = now() + interval '40 seconds'`;
    await db.sql`update workers set last_heartbeat_at = now() - interval '2 minutes' where id = 'ann'`;
    const { wait, estimate } = await explain(id);
    expect(wait).toMatchObject({ code: 'only_slow_holder', held: { absentWorkers: 1 } });
    expect(wait.held.absentSecondsLeft).toBeGreaterThan(30);
    if (typeof estimate === 'string') throw new Error(estimate);
    // Bob gets a copy, unless something prevents it.
    expect(estimate.likely).toBeLessThan(5);
    expect(estimate.high).toBeGreaterThan(30);
  });

  it('is cancelled for a cancelled job', async () => {
    const id = await submitJob(db.store, { items: 1 });
    await db.store.cancelJob(id);
    expect(await explain(id)).toMatchObject({ wait: { code: 'cancelled' }, estimate: 'not_open' });
  });
});

describe('the measured rate', () => {
  /** Ann finishes this many tasks of 10 items, in a job of 100 items. */
  async function jobWithDone(tasks: number): Promise<string> {
    const id = await submitJob(db.store, { items: 100, shardSize: 10 });
    await heartbeat('ann', { rate: 4 });
    const leased = await leaseTasks(db.store, 'ann', tasks + 1);
    await db.store.report(
      'ann',
      leased.slice(0, tasks).map((task) => completion(task)),
    );
    return id;
  }

  it('counts the items of the last minutes, and older items for less', async () => {
    const id = await jobWithDone(6);
    await db.sql`update job_tallies set first_at = now() - interval '100 seconds'`;
    // 60 items at the end of 100 s, which count in full.
    expect((await explain(id)).measuredRate).toBeCloseTo(60 / (300 * -Math.expm1(-100 / 300)), 1);
    await age(300);
    expect((await explain(id)).measuredRate).toBeCloseTo(60 / Math.E / (300 * -Math.expm1(-400 / 300)), 1);
    await age(1e9);
    expect((await explain(id)).measuredRate).toBe(0);
  });

  it('decays the earlier items when more are reported', async () => {
    const id = await jobWithDone(2);
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

  it('stays finite when the clock jumps and when almost nothing is left', async () => {
    const id = await jobWithDone(1);
    for (const seconds of [1e9, 1e9, -1e9]) {
      await age(seconds);
      await leaseTasks(db.store, 'ann');
    }
    expect((await explain(id)).measuredRate).toBeGreaterThanOrEqual(0);
  });

  it('widens the range of the estimate when it is lower than the reported rate', async () => {
    const id = await jobWithDone(1);
    await db.sql`update job_tallies set first_at = now() - interval '100 seconds'`;
    const { estimate } = await explain(id);
    if (typeof estimate === 'string') throw new Error(estimate);
    expect(estimate.low).toBeLessThan(90 / 4);
    expect(estimate.likely).toBeGreaterThan(90 / 4);
    expect(estimate.high).toBeGreaterThan(estimate.likely * 1.15);
  });

  it('marks a worker that lost leases of an open job as likely to leave', async () => {
    await jobWithDone(1);
    const mayLeave = async () => (await db.store.pool()).workers.map((worker) => worker.mayLeave);
    expect(await mayLeave()).toEqual([false]);
    await makeLeasesPass(db.sql);
    await db.store.reclaim({ force: true });
    expect(await mayLeave()).toEqual([true]);
  });
});

describe('the state of the pool', () => {
  it('has what each worker holds by job, and workers that never sent a heartbeat', async () => {
    const one = await submitJob(db.store, { items: 20, shardSize: 10 });
    const other = await submitJob(db.store, { items: 30, shardSize: 10 });
    await heartbeat('ann');
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

  it('has what a worker runs copies of, until the task ends', async () => {
    await heartbeat('ann', { rate: 0.01 });
    await heartbeat('bob', { rate: 100 });
    const id = await submitJob(db.store, { items: 10, shardSize: 10 });
    const [task] = await leaseTasks(db.store, 'ann');
    const offers = [{ ...NOOP_OFFER, itemsPerSecond: 100 }];
    const { tasks } = await db.store.lease({
      worker: 'bob',
      boot: 'boot-of-bob',
      limit: null,
      slots: 1,
      offers,
      renews: true,
      acceptsCopies: true,
    });
    expect(tasks).toMatchObject([{ copy: true }]);
    const work = async () => (await db.store.pool()).workers.map(({ held, copies }) => [held, copies]);
    expect(await work()).toMatchObject([
      [[{ jobId: id, tasks: 1, items: 10 }], []],
      [[], [{ jobId: id, jobType: 'noop', model: 'noop', tasks: 1 }]],
    ]);
    expect((await explain(id)).wait.code).toBe('all_leased');
    await db.store.report('ann', task === undefined ? [] : [completion(task)]);
    expect(await work()).toEqual([
      [[], []],
      [[], []],
    ]);
  });

  it('has the jobs with unfinished tasks, even when all of them are leased', async () => {
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

  it('has the work kind that each worker ran last', async () => {
    await heartbeat('ann');
    await heartbeat('bob');
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
      offers: [{ jobType: 'noop', model: 'later' }],
      renews: false,
    });
    expect(await ran()).toEqual([{ jobType: 'noop', model: 'later' }, null]);
  });
});
