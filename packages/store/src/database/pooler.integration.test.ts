import { openConnectionPools } from '@macbatch/connection';
import { findPgBouncer, openPooler } from '@macbatch/postgres/testing';
import postgres from 'postgres';
import { expect, it, onTestFinished } from 'vitest';
import { createStore } from '../create-store.ts';
import { audit, completion, freshDatabase, leaseTasks, submitJob } from '../testing/index.ts';
import { migrate } from './migrate.ts';

const pgbouncer = findPgBouncer(process.env['PATH']);
const IGNORING = [
  'ignore_startup_parameters = synchronous_commit, statement_timeout, macbatch.session, tcp_keepalives_idle, tcp_keepalives_interval, tcp_keepalives_count',
];

/** Creates a database and a PgBouncer in front of it. */
async function pooled(settings: readonly string[] = []): Promise<{ direct: string; url: string }> {
  const database = await freshDatabase();
  onTestFinished(() => database[Symbol.asyncDispose]());
  const pooler = await openPooler(pgbouncer ?? '', database.url, settings);
  onTestFinished(() => pooler.close());
  return { direct: database.url, url: pooler.url };
}

it.skipIf(pgbouncer === undefined).each([
  ['refuses session settings', []],
  ['drops session settings', IGNORING],
])(
  'I4: answers reports after they are on disk behind a pooler that %s (needs PgBouncer: apt-get install pgbouncer)',
  async (_, settings) => {
    const { direct, url } = await pooled(settings);
    // The worst case: by default, a commit does not wait for the disk.
    const sql = postgres(direct, { max: 1, onnotice: () => undefined });
    await sql.unsafe(`alter database "${new URL(direct).pathname.slice(1)}" set synchronous_commit = off`);
    await sql.end();
    const connections = openConnectionPools({ url });
    onTestFinished(() => connections.close());
    const commits = await Promise.all(
      [connections.durable, connections.uploads, connections.long, connections.relaxed].map(async (pool) => {
        const inside = await pool.run(async (tx) => tx`show synchronous_commit`);
        const together = await pool.transaction(async (tx) => tx`show synchronous_commit`);
        return [...inside, ...together].map((row) => row['synchronous_commit']);
      }),
    );
    expect(commits).toEqual([
      ['on', 'on'],
      ['on', 'on'],
      ['on', 'on'],
      ['off', 'off'],
    ]);
  },
);

it.skipIf(pgbouncer === undefined)(
  'migrates once and works when three control planes start at the same time behind a pooler (needs PgBouncer: apt-get install pgbouncer)',
  async () => {
    const { direct, url } = await pooled();
    await Promise.all([migrate(url), migrate(url), migrate(url)]);
    const store = createStore({ url });
    onTestFinished(() => store.close());
    const jobId = await submitJob(store, { items: 20, shardSize: 5 });
    const tasks = await leaseTasks(store, 'ann', 4);
    await store.report(
      'ann',
      tasks.map((task) => completion(task)),
    );
    expect(await store.readJob(jobId)).toMatchObject({ tasks: { done: 4 }, items: { ok: 20 } });
    expect(await audit(direct)).toEqual([]);
  },
);
