import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDatabase } from '@macbatch/postgres/testing';
import { drizzle } from 'drizzle-orm/postgres-js';
import { migrate as runMigrations } from 'drizzle-orm/postgres-js/migrator';
import postgres from 'postgres';
import { uuidv7 } from 'uuidv7';
import { expect, inject, it, onTestFinished } from 'vitest';
import { createStore } from '../create-store.ts';
import { MIGRATIONS_FOLDER } from '../migrations-folder.ts';
import type { Store } from '../store.ts';
import { audit, completion, freshStore, leaseTasks, makeLeasesPass } from '../testing/index.ts';
import { migrate } from './migrate.ts';

/** Creates an empty database, dropped when the test has finished. */
async function emptyDatabase() {
  const name = `upgrade_${uuidv7().replaceAll('-', '')}`;
  const database = await createDatabase(inject('postgresUrl'), name);
  const sql = postgres(database.url, { max: 1, onnotice: () => undefined });
  onTestFinished(async () => {
    await sql.end({ timeout: 5 });
    await database.drop();
  });
  return { url: database.url, sql };
}

/** Creates a database with the schema of the first release. */
async function firstReleaseDatabase() {
  const database = await emptyDatabase();
  const folder = await mkdtemp(join(tmpdir(), 'macbatch-first-'));
  const client = postgres(database.url, { max: 1, onnotice: () => undefined });
  try {
    await cp(MIGRATIONS_FOLDER, folder, { recursive: true });
    const path = join(folder, 'meta/_journal.json');
    const journal = JSON.parse(await readFile(path, 'utf8')) as { entries: unknown[] };
    journal.entries = journal.entries.slice(0, 1);
    await writeFile(path, JSON.stringify(journal));
    await runMigrations(drizzle(client), { migrationsFolder: folder });
  } finally {
    await client.end({ timeout: 5 });
    await rm(folder, { recursive: true });
  }
  return database;
}

/** Writes a job of ten items like the first release's control plane, with a task in every status. */
async function jobOfFirstRelease(sql: postgres.Sql): Promise<string> {
  const id = uuidv7();
  await sql.begin(async (tx) => {
    await tx`
      insert into jobs (id, job_type, model, params, shard_size, retry_on, item_count, task_count, idempotency_key, body_digest)
      values (${id}, 'noop', 'noop', '{}', 2, 'attempts', 10, 5, ${`key-${id}`}, 'digest')`;
    await tx`
      insert into items (job_id, seq, item_id, payload)
      select ${id}, n, 'item-' || n, '{"n":' || n || '}' from generate_series(0, 9) as n`;
    // In this order: done, leased with an outcome, pending, failed, pending after an error.
    const tasks = await tx<{ id: string }[]>`
      insert into tasks (job_id, first_seq, item_count, outcome_count, status, attempts, errors, retry_on, lease_until, assigned_worker, error)
      values (${id}, 0, 2, 2, 'done', 1, 0, 'attempts', null, 'old', null),
        (${id}, 2, 2, 1, 'leased', 1, 0, 'attempts', now() + interval '10 minutes', 'old', null),
        (${id}, 4, 2, 0, 'pending', 0, 0, 'attempts', null, null, null),
        (${id}, 6, 2, 0, 'failed', 3, 3, 'attempts', null, null, '{"code":"broken","message":"it broke"}'),
        (${id}, 8, 2, 0, 'pending', 1, 1, 'attempts', null, null, '{"code":"broken","message":"it broke"}')
      returning id`;
    const [done, leased, , failed, retried] = tasks.map((task) => task.id);
    await tx`
      insert into leases (task_id, attempt, worker_id, boot_id)
      values (${done ?? ''}, 1, 'old', 'b'), (${leased ?? ''}, 1, 'old', 'b'), (${failed ?? ''}, 1, 'old', 'b'),
        (${failed ?? ''}, 2, 'old', 'b'), (${failed ?? ''}, 3, 'old', 'b'), (${retried ?? ''}, 1, 'old', 'b')`;
    const [model] =
      await tx`insert into models (name, digest) values ('noop', null) on conflict (name, digest) do update set name = excluded.name returning id`;
    await tx`
      insert into results (job_id, seq, output, task_id, attempt, model_id)
      select ${id}, seq, '{"old":' || seq || '}', task, 1, ${model?.['id']}
      from (values (0, ${done ?? ''}::bigint), (1, ${done ?? ''}::bigint), (2, ${leased ?? ''}::bigint)) as r (seq, task)`;
    await tx`insert into job_models (job_id, model_id) values (${id}, ${model?.['id']})`;
    await tx`
      insert into events (kind, job_id, task_id, worker_id, attempt)
      values ('task_error', ${id}, ${failed ?? ''}, 'old', 1), ('task_error', ${id}, ${failed ?? ''}, 'old', 2),
        ('task_failed', ${id}, ${failed ?? ''}, 'old', 3), ('task_error', ${id}, ${retried ?? ''}, 'old', 1)`;
    await tx`insert into job_tallies (job_id, worker_id, pending) values (${id}, '', 5)`;
    await tx`
      insert into job_tallies (job_id, worker_id, pending, leased, done, failed, leases_granted, tasks_done, tasks_failed, items_ok)
      values (${id}, 'old', -3, 1, 1, 1, 6, 1, 1, 3)`;
    await tx`
      insert into workers (id, boot_id, hostname, job_types, models, concurrency, lease_limit)
      values ('old', 'b', 'mac', '{noop}', '{noop}', 1, 1) on conflict (id) do nothing`;
  });
  return id;
}

function storeOn(url: string): Store {
  const store = createStore({ url });
  onTestFinished(() => store.close());
  return store;
}

/** Leases and completes tasks until nothing is pending. Returns the number of items. */
async function finishAll(store: Store): Promise<number> {
  let items = 0;
  for (;;) {
    const tasks = await leaseTasks(store, 'new', 10);
    if (tasks.length === 0) return items;
    items += tasks.reduce((sum, task) => sum + task.items.length, 0);
    await store.report(
      'new',
      tasks.map((task) => completion(task)),
    );
  }
}

async function outputsOf(store: Store, id: string): Promise<(string | null)[]> {
  const outputs: (string | null)[] = [];
  for await (const page of store.results(id, { itemCount: 10 }))
    outputs.push(...page.map(({ output }) => output));
  return outputs;
}

/** Finishes the job of the first release with this release. */
async function finishUpgraded(store: Store, sql: postgres.Sql, id: string): Promise<void> {
  expect(await audit(sql)).toEqual([]);
  expect(await store.readJob(id)).toMatchObject({
    items: { total: 10, ok: 3, error: 0, failed: 2, open: 5 },
    tasks: { total: 5, pending: 2, leased: 1, done: 1, failed: 1 },
  });
  await makeLeasesPass(sql);
  expect(await store.reclaim({ force: true })).toMatchObject({ reclaimed: 1, failed: 0 });
  expect(await store.retryJob(id, { items: false })).toEqual({ tasks: 1, items: 0 });
  expect(await finishAll(store)).toBe(7);
  expect(await store.readJob(id)).toMatchObject({ items: { ok: 10 }, tasks: { done: 5 } });
  const outputs = await outputsOf(store, id);
  expect(outputs.slice(0, 3)).toEqual(['{"old":0}', '{"old":1}', '{"old":2}']);
  expect(new Set(outputs.slice(3))).toEqual(new Set(['{"ok":true}']));
  expect(await audit(sql)).toEqual([]);
}

it('migrate upgrades a database of the first release, and its work finishes', async () => {
  const { url, sql } = await firstReleaseDatabase();
  const id = await jobOfFirstRelease(sql);
  await Promise.all([migrate(url), migrate(url)]);
  const store = storeOn(url);
  await finishUpgraded(store, sql, id);
  expect(await store.deploymentId()).toMatch(/^[0-9a-f-]{36}$/);
  expect(await store.listWorkers()).toHaveLength(1);
});

it('jobs that a control plane of the first release writes beside this one finish', async () => {
  const { url, sql, store, ...fresh } = await freshStore();
  onTestFinished(() => fresh[Symbol.asyncDispose]());
  for (let n = 0; n < 2; n += 1) {
    const id = await jobOfFirstRelease(sql);
    // The first release does not tally the items of failed tasks. The migration at the next start corrects that.
    await Promise.all([migrate(url), migrate(url)]);
    await finishUpgraded(store, sql, id);
    expect(await store.readJob(id)).toMatchObject({ reused: 0, repeated: 0 });
  }
});

it('migrate refuses a database that a newer program has upgraded, and changes nothing', async () => {
  const { url, sql } = await emptyDatabase();
  await migrate(url);
  await sql`insert into drizzle.__drizzle_migrations (hash, created_at) values ('of the future', 9999999999999)`;
  await expect(migrate(url)).rejects.toThrow(
    /1 migrations? that this version .* not know.*Upgrade this program/,
  );
  expect(await sql`select 1 from drizzle.__drizzle_migrations where hash = 'of the future'`).toHaveLength(1);
  await sql`delete from drizzle.__drizzle_migrations where hash = 'of the future'`;
  await migrate(url);
});
