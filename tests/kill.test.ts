import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createStore } from '@macbatch/store';
import { audit, freshDatabase, submitJob } from '@macbatch/store/testing';
import { testFolder, until } from '@macbatch/testing';
import postgres from 'postgres';
import { expect, it, onTestFinished } from 'vitest';
import { modelServer } from './testing/model-server.ts';
import { endedJob, parrotAt, resultsOf, startControl, startWorker, submitPrompts } from './testing/pool.ts';
import { jsonLines, macbatch, processesWith, start } from './testing/program.ts';

// Without copies: an idle worker would copy the items of the killed one, and end the job before the lease expires.
const SHORT_LEASES = { MACBATCH_RENEWED_LEASE_SECONDS: '2', MACBATCH_COPIES: 'off' };
const ids = (count: number) => Array.from({ length: count }, (_, n) => `p${n}`);

it('T5: gives the task of a killed worker to another, and records one outcome per item', async () => {
  const control = await startControl(SHORT_LEASES);
  const server = await modelServer();
  const job = await submitPrompts(control.client, 12, 3);
  const doomed = startWorker(control, 'doomed', { env: parrotAt(server.url) });
  server.allow(4);
  await until(() => server.answered.length === 4 && server.waiting.length > 0);
  doomed.kill('SIGKILL');
  expect(await doomed.ended).toMatchObject({ exit: 'SIGKILL' });
  await until(() => server.waiting.length === 0);

  server.allow(1000);
  startWorker(control, 'heir', { env: parrotAt(server.url) });
  const ended = await endedJob(control.client, job);
  expect(ended).toMatchObject({ state: 'done', items: { ok: 12, total: 12 } });
  expect(ended.lease_expired_events).toBeGreaterThanOrEqual(1);
  const results = await resultsOf(control.client, job);
  expect(results.map(({ id }) => id)).toEqual(ids(12));
  expect(results.at(-1)).toMatchObject({ worker: 'heir', model: 'parrot-1' });
  expect(await audit(control.databaseUrl)).toEqual([]);
});

it('W3: leaves the tasks of a silent worker leased until their leases expire', async () => {
  const control = await startControl();
  const server = await modelServer();
  await submitPrompts(control.client, 3, 3);
  const silent = startWorker(control, 'silent', { env: parrotAt(server.url) });
  await until(() => server.waiting.length > 0);
  silent.kill('SIGKILL');
  await silent.ended;
  expect(await control.client.call('reclaim', {})).toEqual({ reclaimed: 0, failed: 0 });
  const { workers } = await control.client.call('listWorkers', {});
  expect(workers).toMatchObject([{ worker_id: 'silent', tasks_leased: 1 }]);
});

it('ends a job after a kill of the control plane, and runs no item twice', async () => {
  // Short leases: the kill may cut off the answer of a granted lease, which must then expire.
  const control = await startControl({ MACBATCH_RENEWED_LEASE_SECONDS: '10', MACBATCH_COPIES: 'off' });
  const server = await modelServer();
  const job = await submitPrompts(control.client, 20, 2);
  const workers = ['one', 'two'].map((id) =>
    startWorker(control, id, { env: { ...parrotAt(server.url), MACBATCH_CONCURRENCY: '3' } }),
  );
  server.allow(8);
  await until(() => server.answered.length === 8 && server.waiting.length > 0);
  control.program.kill('SIGKILL');
  await control.program.ended;
  // Running items continue without the control plane.
  server.allow(1000);
  await until(() => workers.some((worker) => worker.stdout().includes('report.delayed')));
  const second = await control.again();
  expect(await endedJob(control.client, job)).toMatchObject({ state: 'done', items: { ok: 20 } });
  expect((await resultsOf(control.client, job)).map(({ id }) => id)).toEqual(ids(20));
  expect(server.answered).toHaveLength(20);
  expect(new Set(server.answered).size).toBe(20);

  // W7: all programs end on SIGTERM.
  for (const worker of workers) worker.kill('SIGTERM');
  for (const worker of workers) expect(await worker.ended).toMatchObject({ exit: 0 });
  const { workers: known } = await control.client.call('listWorkers', {});
  expect(known.map(({ offline }) => offline)).toEqual([true, true]);
  second.kill('SIGTERM');
  expect(await second.ended).toMatchObject({ exit: 0 });
  expect(await audit(control.databaseUrl)).toEqual([]);
});

it('W7: holds nothing after any SIGTERM, also among many small jobs', async () => {
  const control = await startControl({ MACBATCH_COPIES: 'off' });
  const sql = postgres(control.databaseUrl, { max: 1, onnotice: () => undefined });
  onTestFinished(() => sql.end());
  await submitNoopJobs(sql, control.databaseUrl, 1200, 15);
  const done = async () => (await sql`select from tasks where status = 'done'`).length;
  for (let round = 1; round <= 6; round += 1) {
    const before = await done();
    const worker = startWorker(control, 'ann', { env: { MACBATCH_NOOP: '1', MACBATCH_CONCURRENCY: '4' } });
    await until(async () => (await done()) > before + 10 * round);
    worker.kill('SIGTERM');
    expect(await worker.ended).toMatchObject({ exit: 0 });
    expect(await sql`select id from tasks where status = 'leased'`).toEqual([]);
  }
  expect(await done()).toBeLessThan(1200);
  expect(await audit(control.databaseUrl)).toEqual([]);
});

/** Submits one job of one task, and copies its rows until there are this many. */
async function submitNoopJobs(sql: postgres.Sql, url: string, jobs: number, items: number): Promise<void> {
  const store = createStore({ url });
  const first = await submitJob(store, { items, shardSize: items });
  await store.close();
  await sql`
    create temporary table copy as
    select gen_random_uuid() as job_id, jobs.* from jobs, generate_series(2, ${jobs}) where jobs.id = ${first}`;
  await sql`
    insert into jobs (id, job_type, model, params, shard_size, retry_on, item_count, task_count, body_digest)
    select job_id, job_type, model, params, shard_size, retry_on, item_count, task_count, '' from copy`;
  await sql`
    insert into items (job_id, seq, item_id, payload)
    select copy.job_id, seq, item_id, payload from copy join items on items.job_id = copy.id`;
  await sql`
    insert into tasks (job_id, first_seq, item_count, retry_on)
    select job_id, 0, item_count, retry_on from copy`;
  await sql`insert into job_tallies (job_id, worker_id, pending) select job_id, '', 1 from copy`;
}

it('stops all processes when `run` is killed, and continues the job in the next run', async () => {
  const folder = testFolder();
  const prompts = Array.from({ length: 8 }, (_, n) => `Prompt ${n}`);
  writeFileSync(join(folder, 'items.jsonl'), prompts.map((prompt) => `${JSON.stringify(prompt)}\n`).join(''));
  const server = await modelServer();
  const database = await freshDatabase();
  onTestFinished(() => database[Symbol.asyncDispose]());
  const env = {
    TEST_FOLDER: folder,
    MACBATCH_DATABASE_URL: database.url,
    MACBATCH_GRACE_SECONDS: '0.5',
    MACBATCH_USE_LITE: '0',
  };
  const args = ['run', 'items.jsonl', '--type', 'chat', '--model', 'parrot', '--shard-size', '2'].concat([
    '--endpoint',
    server.url,
  ]);
  const killed = start('cli', args, { cwd: folder, env });
  server.allow(3);
  await until(() => server.answered.length === 3 && server.waiting.length > 0);
  killed.kill('SIGKILL');
  await killed.ended;
  await until(() => processesWith(folder).length === 0);

  server.allow(1000);
  const next = await macbatch([...args, '--json'], { cwd: folder, env });
  expect(next).toMatchObject({ exit: 0 });
  // Outcomes that a worker could not report before its control plane stopped are on its disk.
  expect(next.stderr).toMatch(/continuing job .*: [0-3] of 8/);
  expect(jsonLines(next.stdout)).toMatchObject([{ items: { ok: 8 }, lease_expired_events: 0 }]);
  expect(server.answered).toHaveLength(8);
  expect(new Set(server.answered)).toEqual(new Set(prompts));
  expect(await audit(database.url)).toEqual([]);
});
