import { openConnectionPools } from '@macbatch/connection';
import { expect, it } from 'vitest';
import { audit, completion, leaseTasks, sharedStore, submitJob } from '../testing/index.ts';

const db = sharedStore();

// A lock on the tallies stops the report after its results and tasks.
it('I4: a report whose connection is cut records both results and task status, or neither', async () => {
  const jobId = await submitJob(db.store, { items: 20, shardSize: 10 });
  const tasks = await leaseTasks(db.store, 'ann', 2);
  const lock = await db.sql.reserve();
  await lock`begin`;
  await lock`select from job_tallies where worker_id = 'ann' for update`;
  const cut = db.store.report(
    'ann',
    tasks.map((task) => completion(task)),
  );
  const failed = expect(cut).rejects.toThrow();
  for (;;) {
    const killed = await db.sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and application_name = 'macbatch'`;
    if (killed.length > 0) break;
  }
  await failed;
  await lock`rollback`;
  lock.release();
  expect(await audit(db.url)).toEqual([]);
  expect(await db.store.readJob(jobId)).toMatchObject({ tasks: { leased: 2, done: 0 }, items: { ok: 0 } });
  await db.store.report(
    'ann',
    tasks.map((task) => completion(task)),
  );
  expect(await db.store.readJob(jobId)).toMatchObject({ tasks: { leased: 0, done: 2 }, items: { ok: 20 } });
  expect(await audit(db.url)).toEqual([]);
});

it('I4: results and task statuses stay consistent when connections are cut at any moment', async () => {
  for (let run = 0; run < 10; run += 1) {
    await submitJob(db.store, { items: 40, shardSize: 2 });
    const tasks = await leaseTasks(db.store, 'ann', 20).catch(() => []);
    const reports = [0, 1, 2, 3].map((n) =>
      db.store
        .report(
          'ann',
          tasks.slice(n * 5, n * 5 + 5).map((task) => completion(task)),
        )
        .catch(() => []),
    );
    await db.sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and application_name = 'macbatch' and state = 'active'`;
    await Promise.all(reports);
    await db.sql`update jobs set cancelled_at = now()`; // so that the next run leases its own tasks
  }
  expect(await audit(db.url)).toEqual([]);
});

it('I4: reports are answered after they are on disk, and leases before', async () => {
  // Test servers answer before the disk by default. This database is set like a real one.
  const [current] = await db.sql<{ name: string }[]>`select current_database() as name`;
  await db.sql`alter database ${db.sql(current?.name ?? '')} set synchronous_commit = on`;
  const connections = openConnectionPools({ url: db.url });
  const [durable] = await connections.durable.run(async (sql) => sql`show synchronous_commit`);
  const [relaxed] = await connections.relaxed.run(async (sql) => sql`show synchronous_commit`);
  await connections.close();
  expect([durable?.['synchronous_commit'], relaxed?.['synchronous_commit']]).toEqual(['on', 'off']);
});
