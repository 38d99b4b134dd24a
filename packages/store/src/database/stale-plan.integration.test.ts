import { expect, it } from 'vitest';
import { renewStatement } from '../leasing/renew-leases.ts';
import { completion, leaseTasks, sharedStore, submitJob } from '../testing/index.ts';

const db = sharedStore();

/** An argument as an SQL literal. */
function literal(value: unknown): string {
  return Array.isArray(value) ? `'{${value.join()}}'` : `'${String(value)}'`;
}

it('a renewal that a session planned for a small job costs no more in a large job', async () => {
  await submitJob(db.store, { items: 300, shardSize: 1 });
  const done = await leaseTasks(db.store, 'ann', 200);
  await db.store.report(
    'ann',
    done.map((task) => completion(task)),
  );
  const { text, values } = renewStatement;
  const renewal = (tasks: readonly { readonly taskId: string; readonly attempt: number }[]) => {
    const args = values({
      positions: tasks.map((_, position) => position),
      taskIds: tasks.map(({ taskId }) => taskId),
      attempts: tasks.map(({ attempt }) => attempt),
      worker: 'ann',
      boot: 'boot-of-ann',
      leaseMs: 90_000,
    });
    return `execute renewal(${args.map(literal).join()})`;
  };
  await using session = Object.assign(await db.sql.reserve(), {
    async [Symbol.asyncDispose]() {
      await session.unsafe('deallocate renewal; reset plan_cache_mode; reset statement_timeout');
      session.release();
    },
  });
  // With a bad plan the renewal would take minutes.
  await session.unsafe(`set plan_cache_mode = force_generic_plan; set statement_timeout = 30000`);
  await session.unsafe(`prepare renewal as ${text}`);
  await session.unsafe(renewal(await leaseTasks(db.store, 'ann', 1)));

  const large = await submitJob(db.store, { items: 20_000, shardSize: 10 });
  await db.sql`
    insert into results (job_id, seq, output, task_id, attempt)
    select ${large}, seq, '1', 1, 1 from generate_series(5000, 19_999) as seq`;
  const held = (await leaseTasks(db.store, 'ann', 120)).filter(({ jobId }) => jobId === large);
  expect(held.length).toBeGreaterThan(10);
  const plan = await session.unsafe<{ 'QUERY PLAN': string }[]>(
    `explain (analyze, buffers, costs off, timing off, summary off) ${renewal(held.slice(0, 10))}`,
  );
  const blocks = /Buffers: shared hit=(\d+)/.exec(plan.map((row) => row['QUERY PLAN']).join('\n'))?.[1];
  expect(Number(blocks)).toBeLessThan(1000);
});
