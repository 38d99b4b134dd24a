import { ITEM_STATES } from '@macbatch/core';
import type postgres from 'postgres';
import { beforeEach, expect, it, vi } from 'vitest';
import { itemsByPrefix, itemsBySeqs } from '../items/item-rows.ts';
import { itemSeqs } from '../items/item-seqs.ts';
import { readJobRow } from '../jobs/job-rows.ts';
import { listJobRows } from '../jobs/list-job-rows.ts';
import { readResults } from '../jobs/read-results.ts';
import { claimTasks } from '../leasing/claim-tasks.ts';
import { renewStatement } from '../leasing/renew-leases.ts';
import { readRecentItems } from '../pool/explain-job.ts';
import { readCopiedWork, readHeldWork, readOpenJobs } from '../pool/pool-rows.ts';
import { expireLeases } from '../reclaiming/expire-leases.ts';
import { leaseTasks, sharedStore, submitJob } from '../testing/index.ts';

const db = sharedStore();

const CLAIM = {
  worker: 'ann',
  boot: 'boot',
  limit: 10,
  maxBytes: 1000,
  leaseMs: 600_000,
  floors: ['0'],
  errorsAtMost: [8],
  leftToOthersMs: [60_000],
};

/** The plan of a statement as it runs, in a transaction that is then rolled back. */
async function planOf(text: string, values: postgres.ParameterOrJSON<never>[]): Promise<string> {
  const explain = 'explain (analyze, buffers, costs off, timing off, summary off) ';
  let plan = '';
  await db.sql
    .begin(async (tx) => {
      const rows = await tx.unsafe<{ 'QUERY PLAN': string }[]>(explain + text, values);
      plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      throw new Error('roll back');
    })
    .catch((error: Error) => {
      if (error.message !== 'roll back') throw error;
    });
  return plan;
}

/** The blocks that a statement read. The first line of the plan has the sum. */
function buffersOf(plan: string): number {
  const [, hit, read] = /Buffers: shared(?: hit=(\d+))?(?: read=(\d+))?/.exec(plan) ?? [];
  return Number(hit ?? 0) + Number(read ?? 0);
}

/** Marks the first tasks of a job as done, without twenty thousand reports. */
async function finish(upTo: number): Promise<void> {
  await db.sql`
    update tasks set status = 'done', attempts = 1, assigned_worker = 'ann', outcome_count = item_count, lease_until = null
    where id <= ${upTo}`;
}

let jobId: string;
beforeEach(async () => {
  jobId = await submitJob(db.store, { items: 20_000, shardSize: 1 });
});

it('R1: claims and reclaims use their partial indexes when most of 20,000 tasks are done', async () => {
  await finish(19_000);
  await db.sql`vacuum analyze tasks`;
  await leaseTasks(db.store, 'ann', 20);
  const claimed = await planOf(claimTasks.text, claimTasks.values({ ...CLAIM, jobs: [jobId] }));
  expect(claimed).toContain('tasks_pending');
  expect(claimed).not.toContain('Seq Scan on tasks');
  expect(buffersOf(claimed)).toBeLessThan(1000);
  const expired = await planOf(expireLeases.text, expireLeases.values({ limit: 1000 }));
  expect(expired).toContain('tasks_leased');
  expect(expired).not.toContain('Seq Scan on tasks');
  expect(buffersOf(expired)).toBeLessThan(300);
});

it('R1: renews with heap-only (HOT) updates that touch no index', async () => {
  const tasks = await leaseTasks(db.store, 'ann', 1000);
  await db.sql`vacuum tasks`;
  /** The updates of this transaction. The server adds them to the common statistics only after it. */
  const updates = async (tx: postgres.TransactionSql) => {
    const [row] = await tx<{ all: number; hot: number }[]>`
      select n_tup_upd::int as all, n_tup_hot_upd::int as hot from pg_stat_xact_user_tables where relname = 'tasks'`;
    return row ?? { all: 0, hot: 0 };
  };
  /** Renews every lease once, ten at a time. Returns the share of updates that stayed on their page. */
  const renewAll = async () => {
    let all = 0;
    let hot = 0;
    for (let n = 0; n < tasks.length; n += 10) {
      const held = tasks.slice(n, n + 10);
      await db.sql.begin(async (tx) => {
        const before = await updates(tx);
        await renewStatement.run(tx, {
          worker: 'ann',
          boot: 'boot-of-ann',
          leaseMs: 90_000,
          positions: held.map((_, i) => i),
          taskIds: held.map(({ taskId }) => taskId),
          attempts: held.map(({ attempt }) => attempt),
        });
        const after = await updates(tx);
        all += after.all - before.all;
        hot += after.hot - before.hot;
      });
    }
    expect(all).toBe(tasks.length);
    return hot / all;
  };
  // An old snapshot, even in another test's database, keeps Postgres from cleaning pages and spoils the measurement.
  const noOldSnapshot = async () => {
    const [row] = await db.sql<{ old: number }[]>`
      select count(*)::int as old from pg_stat_activity
      where backend_xmin is not null and pid <> pg_backend_pid() and xact_start < now() - interval '50 ms'`;
    expect(row?.old).toBe(0);
  };
  let best = 0;
  for (let n = 0; n < 20 && best <= 0.7; n += 1) {
    await vi.waitFor(noOldSnapshot, { timeout: 60_000, interval: 20 });
    best = Math.max(best, await renewAll());
  }
  // It would be 0 with an index on a column that renewals change.
  expect(best).toBeGreaterThan(0.7);
});

it('T4: claims do not read more and more blocks while a session holds an old snapshot', async () => {
  const holder = await db.sql.reserve();
  await holder`begin isolation level repeatable read`;
  await holder`select count(*) from tasks`;
  await leaseTasks(db.store, 'ann', 10);
  const first = buffersOf(
    await planOf(claimTasks.text, claimTasks.values({ ...CLAIM, jobs: [jobId], floors: ['10'] })),
  );
  await finish(15_000); // leaves dead index entries that can't be cleaned up now
  const withFloor = buffersOf(
    await planOf(claimTasks.text, claimTasks.values({ ...CLAIM, jobs: [jobId], floors: ['15000'] })),
  );
  const without = buffersOf(await planOf(claimTasks.text, claimTasks.values({ ...CLAIM, jobs: [jobId] })));
  await holder`rollback`;
  holder.release();
  expect(withFloor).toBeLessThan(first + 150);
  expect(without).toBeGreaterThan(withFloor); // otherwise floors would be useless
});

it('R1: reading a job reads its tallies, not its tasks', async () => {
  await finish(19_000);
  const plan = await planOf(readJobRow.text, readJobRow.values({ job: jobId }));
  expect(plan).not.toContain('Seq Scan on tasks');
  expect(buffersOf(plan)).toBeLessThan(50);
});

it('R1: the cost of reading the pool does not grow with the jobs that have ended', async () => {
  await finish(19_000);
  await db.sql`
    insert into leases (task_id, attempt, worker_id, boot_id) select id, 1, 'ann', 'boot' from tasks where id <= 19000`;
  // Jobs that have ended, each with its tallies.
  await db.sql`
    insert into jobs (id, job_type, model, params, shard_size, retry_on, item_count, task_count, body_digest, finished_at)
    select gen_random_uuid(), 'noop', 'noop', '{}', 1, 'attempts', 1, 1, '', now() from generate_series(1, 5000)`;
  await db.sql`
    insert into job_tallies (job_id, worker_id, done, last_leased_at) select id, 'ann', 1, now() from jobs where finished_at is not null`;
  await db.sql`
    insert into copies (task_id, attempt, worker_id, boot_id, first_seq, end_seq, lease_until, ended)
    select id, 1, 'bob', 'boot', first_seq, first_seq + 1, now(), 'done' from tasks where id <= 5000`;
  await db.sql`vacuum analyze`;
  await leaseTasks(db.store, 'ann', 20);
  const jobs = await planOf(readOpenJobs.text, readOpenJobs.values());
  expect(jobs).toContain('jobs_open');
  expect(jobs).not.toMatch(/Seq Scan on (jobs|job_tallies)/);
  expect(buffersOf(jobs)).toBeLessThan(50);
  const held = await planOf(readHeldWork.text, readHeldWork.values());
  expect(held).toContain('tasks_leased');
  expect(held).not.toMatch(/Seq Scan on (tasks|leases|jobs)/);
  expect(buffersOf(held)).toBeLessThan(200);
  const copies = await planOf(readCopiedWork.text, readCopiedWork.values());
  expect(copies).not.toMatch(/Seq Scan on (copies|tasks|jobs)/);
  expect(buffersOf(copies)).toBeLessThan(200);
  expect(
    buffersOf(await planOf(readRecentItems.text, readRecentItems.values({ jobs: [jobId] }))),
  ).toBeLessThan(20);
});

it('the cost of reading a page of results does not grow with the results of the job', async () => {
  await db.sql`
    insert into leases (task_id, attempt, worker_id, boot_id) select id, 1, 'ann', 'boot' from tasks where job_id = ${jobId}`;
  await db.sql`
    insert into results (job_id, seq, output, task_id, attempt)
    select job_id, first_seq, '1', id, 1 from tasks where job_id = ${jobId}`;
  await finish(20_000);
  await db.sql`vacuum analyze`;
  const plan = await planOf(readResults.text, readResults.values({ job: jobId, after: 9_999, limit: 100 }));
  expect(plan).toContain('rows=100');
  expect(plan).not.toMatch(/Seq Scan on (results|leases|items|tasks)/);
  expect(buffersOf(plan)).toBeLessThan(500);
});

it('the cost of a page of items does not grow with the items of the job, in any state', async () => {
  await db.sql`
    insert into leases (task_id, attempt, worker_id, boot_id) select id, 1, 'ann', 'boot' from tasks where job_id = ${jobId}`;
  await db.sql`
    insert into results (job_id, seq, output, task_id, attempt)
    select job_id, first_seq, '1', id, 1 from tasks where job_id = ${jobId} and first_seq < 19980`;
  await finish(19_980);
  for (const statistics of ['of an empty table', 'of the job']) {
    if (statistics === 'of the job') await db.sql`vacuum analyze`;
    for (const state of ITEM_STATES) {
      const args = { job: jobId, after: 100, limit: 100 };
      const plan = await planOf(itemSeqs[state].text, itemSeqs[state].values(args));
      expect(plan).not.toMatch(/Seq Scan on (results|items)/);
      expect(buffersOf(plan), `${state}, statistics ${statistics}`).toBeLessThan(1200);
    }
    const seqs = Array.from({ length: 100 }, (_, n) => 19_900 + n);
    const page = { job: jobId, after: -1, state: null, limit: 100 };
    const details = await planOf(itemsBySeqs.text, itemsBySeqs.values({ ...page, seqs }));
    expect(buffersOf(details), `statistics ${statistics}`).toBeLessThan(1800);
    const all = await planOf(itemsByPrefix.text, itemsByPrefix.values({ ...page, prefix: null }));
    expect(buffersOf(all), `statistics ${statistics}`).toBeLessThan(1800);
  }
});

it('a page of jobs reads the tallies of its jobs only, among 10,000 jobs', async () => {
  await db.sql`
    insert into jobs (id, name, job_type, model, params, shard_size, retry_on, item_count, task_count, body_digest, finished_at)
    select ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 'job ' || n, 'noop', 'noop', '{}', 1, 'attempts', 1, 1, '', now()
    from generate_series(1, 10000) as n`;
  await db.sql`
    insert into job_tallies (job_id, worker_id, done) select id, worker, 1 from jobs, unnest('{ann,bob}'::text[]) as worker
    where finished_at is not null`;
  const all = {
    owner: null,
    states: null,
    workTypes: null,
    model: null,
    text: null,
    before: null,
    limit: 50,
  };
  const blocksOf = async (part: keyof typeof listJobRows, filter: Partial<typeof all> | object) => {
    const plan = await planOf(listJobRows[part].text, listJobRows[part].values({ ...all, ...filter }));
    expect(plan).not.toContain('Seq Scan on job_tallies');
    return buffersOf(plan);
  };
  for (const statistics of ['of one job', 'of all jobs']) {
    if (statistics === 'of all jobs') await db.sql`vacuum analyze jobs, job_tallies`;
    expect(await blocksOf('open', {}), statistics).toBeLessThan(50);
    expect(await blocksOf('ended', {}), statistics).toBeLessThan(1000);
    // A text is looked for in the names of all jobs, without their tallies.
    expect(await blocksOf('all', { text: 'job 77', states: ['failed'] }), statistics).toBeLessThan(1500);
  }
});
