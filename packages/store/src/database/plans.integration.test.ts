import type { SQL } from 'drizzle-orm';
import type postgres from 'postgres';
import { beforeEach, expect, it, vi } from 'vitest';
import { readJob } from '../jobs/job-statements.ts';
import { readResults } from '../jobs/result-statements.ts';
import { claim } from '../leasing/claim.ts';
import type { HeldArguments } from '../leasing/held-leases.ts';
import { renew } from '../leasing/release.ts';
import { heldWork, liveCopies, openJobs, recentItems } from '../pool/pool-state-statements.ts';
import { expire } from '../reclaiming/expire.ts';
import { fileStore, leaseTasks, submitJob } from '../testing/index.ts';
import { statement } from './statement.ts';

const db = fileStore();

const CLAIM = {
  worker: 'ann',
  boot: 'boot',
  limit: 10,
  leaseMs: 600_000,
  floors: ['0'],
  errorsAtMost: [8],
  leftToOthersMs: [60_000],
};

/** The plan of a statement as it runs, inside a transaction that is then rolled back. */
async function planOf(
  query: SQL,
  args: Parameters<ReturnType<typeof statement>['values']>[0],
): Promise<string> {
  const { text, values } = statement(query);
  const explain = 'explain (analyze, buffers, costs off, timing off, summary off) ';
  let plan = '';
  await db.sql
    .begin(async (tx) => {
      const rows = await tx.unsafe<{ 'QUERY PLAN': string }[]>(explain + text, values(args));
      plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      throw new Error('roll back');
    })
    .catch((error: Error) => {
      if (error.message !== 'roll back') throw error;
    });
  return plan;
}

/** Blocks that a whole statement looked at: the first line of its plan sums up the rest. */
function buffersOf(plan: string): number {
  const [, hit, read] = /Buffers: shared(?: hit=(\d+))?(?: read=(\d+))?/.exec(plan) ?? [];
  return Number(hit ?? 0) + Number(read ?? 0);
}

/** Makes the first tasks of a job done without going through twenty thousand reports. */
async function finish(upTo: number): Promise<void> {
  await db.sql`
    update tasks set status = 'done', attempts = 1, assigned_worker = 'ann', outcome_count = item_count, lease_until = null
    where id <= ${upTo}`;
}

let jobId: string;
beforeEach(async () => {
  jobId = await submitJob(db.store, { items: 20_000, shardSize: 1 });
});

it('R1: with most of 20,000 tasks done, a claim and a sweep go by their partial indexes', async () => {
  await finish(19_000);
  await db.sql`vacuum analyze tasks`;
  await leaseTasks(db.store, 'ann', 20);
  const claimed = await planOf(claim, { ...CLAIM, jobs: [jobId] });
  expect(claimed).toContain('tasks_pending');
  expect(claimed).not.toContain('Seq Scan on tasks');
  expect(buffersOf(claimed)).toBeLessThan(1000);
  const swept = await planOf(expire, { limit: 1000 });
  expect(swept).toContain('tasks_leased');
  expect(swept).not.toContain('Seq Scan on tasks');
  expect(buffersOf(swept)).toBeLessThan(300);
});

it('R1: renewals stay on their page and touch no index', async () => {
  const tasks = await leaseTasks(db.store, 'ann', 1000);
  await db.sql`vacuum tasks`;
  const renewal = statement<HeldArguments & { leaseMs: number }, unknown>(renew);
  /** What this session has changed and not told yet, which it does between transactions only. */
  const updates = async (tx: postgres.TransactionSql) => {
    const [row] = await tx<{ all: number; hot: number }[]>`
      select n_tup_upd::int as all, n_tup_hot_upd::int as hot from pg_stat_xact_user_tables where relname = 'tasks'`;
    return row ?? { all: 0, hot: 0 };
  };
  /** Renews every lease once, by ten; the share of updates that stayed on their page. */
  const pass = async () => {
    let all = 0;
    let hot = 0;
    for (let n = 0; n < tasks.length; n += 10) {
      const held = tasks.slice(n, n + 10);
      await db.sql.begin(async (tx) => {
        const before = await updates(tx);
        await renewal.run(tx, {
          worker: 'ann',
          leaseMs: 90_000,
          numbers: held.map((_, i) => i),
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
  // An old snapshot, of another test's database too, keeps pages from being cleaned: such a pass says nothing.
  const quiet = async () => {
    const [row] = await db.sql<{ old: number }[]>`
      select count(*)::int as old from pg_stat_activity
      where backend_xmin is not null and pid <> pg_backend_pid() and xact_start < now() - interval '50 ms'`;
    expect(row?.old).toBe(0);
  };
  let best = 0;
  for (let n = 0; n < 20 && best <= 0.7; n += 1) {
    await vi.waitFor(quiet, { timeout: 60_000, interval: 20 });
    best = Math.max(best, await pass());
  }
  // With an index on what a renewal changes it would be none.
  expect(best).toBeGreaterThan(0.7);
});

it('T4: a snapshot that is held open does not make claims look at ever more blocks', async () => {
  const holder = await db.sql.reserve();
  await holder`begin isolation level repeatable read`;
  await holder`select count(*) from tasks`;
  await leaseTasks(db.store, 'ann', 10);
  const first = buffersOf(await planOf(claim, { ...CLAIM, jobs: [jobId], floors: ['10'] }));
  await finish(15_000); // dead entries that nobody may clean up now
  const withFloor = buffersOf(await planOf(claim, { ...CLAIM, jobs: [jobId], floors: ['15000'] }));
  const without = buffersOf(await planOf(claim, { ...CLAIM, jobs: [jobId] }));
  await holder`rollback`;
  holder.release();
  expect(withFloor).toBeLessThan(first + 150);
  expect(without).toBeGreaterThan(withFloor); // or the floors would be of no use
});

it('R1: reading a job looks at its tallies and not at its tasks', async () => {
  await finish(19_000);
  const plan = await planOf(readJob, { job: jobId });
  expect(plan).not.toContain('Seq Scan on tasks');
  expect(buffersOf(plan)).toBeLessThan(50);
});

it('R1: a look at the pool goes by what is open and held, however much is over', async () => {
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
  const jobs = await planOf(openJobs, {});
  expect(jobs).toContain('jobs_open');
  expect(jobs).not.toMatch(/Seq Scan on (jobs|job_tallies)/);
  expect(buffersOf(jobs)).toBeLessThan(50);
  const held = await planOf(heldWork, {});
  expect(held).toContain('tasks_leased');
  expect(held).not.toMatch(/Seq Scan on (tasks|leases|jobs)/);
  expect(buffersOf(held)).toBeLessThan(200);
  const copies = await planOf(liveCopies, {});
  expect(copies).not.toMatch(/Seq Scan on (copies|tasks|jobs)/);
  expect(buffersOf(copies)).toBeLessThan(200);
  expect(buffersOf(await planOf(recentItems, { job: jobId }))).toBeLessThan(20);
});

it('a page of results is read by the range of its items, however many results there are', async () => {
  await db.sql`
    insert into leases (task_id, attempt, worker_id, boot_id) select id, 1, 'ann', 'boot' from tasks where job_id = ${jobId}`;
  await db.sql`
    insert into results (job_id, seq, output, task_id, attempt)
    select job_id, first_seq, '1', id, 1 from tasks where job_id = ${jobId}`;
  await finish(20_000);
  await db.sql`vacuum analyze`;
  const plan = await planOf(readResults, { job: jobId, after: 9_999, limit: 100 });
  expect(plan).toContain('rows=100');
  expect(plan).not.toMatch(/Seq Scan on (results|leases|items|tasks)/);
  expect(buffersOf(plan)).toBeLessThan(500);
});
