import { readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@macbatch/client';
import { testFolder, until } from '@macbatch/testing';
import { expect, it } from 'vitest';
import { modelServer } from './testing/model-server.ts';
import { endedJob, parrotAt, resultsOf, submitPrompts } from './testing/pool.ts';
import { jsonLines, macbatch, type Program, start } from './testing/program.ts';

/** Starts `macbatch up` with the embedded server of a folder. */
async function up(folder: string, dataDir: string, port = '0'): Promise<{ program: Program; url: string }> {
  const program = start('cli', ['up', '--json', '--port', port, '--data-dir', dataDir], {
    cwd: folder,
    // Leases in the backup must expire soon.
    env: { MACBATCH_RENEWED_LEASE_SECONDS: '10' },
  });
  const [line] = await until(() => {
    const lines = jsonLines(program.stdout());
    return lines.length > 0 && lines;
  });
  return { program, url: String(line?.['url']) };
}

async function stop(program: Program): Promise<void> {
  program.kill('SIGTERM');
  expect(await program.ended).toMatchObject({ exit: 0 });
}

it('continues from a restored backup: runs no item again that had an outcome, and records no late outcome in another job', async () => {
  const folder = testFolder();
  const cli = (...args: string[]) => macbatch(args, { cwd: folder });
  const server = await modelServer();
  const first = await up(folder, 'data');
  const { port } = new URL(first.url);
  const client = new Client({ baseUrl: first.url });
  const job = await submitPrompts(client, 12, 3);
  const worker = start('worker', [], {
    env: {
      ...parrotAt(server.url),
      MACBATCH_CONTROL_URL: first.url,
      MACBATCH_WORKER_ID: 'w',
      MACBATCH_STATE_DIR: join(folder, 'workers'),
      MACBATCH_USE_LITE: '0',
      MACBATCH_CONCURRENCY: '2',
      PROBE_STATE: join(folder, 'probe_state.json'),
    },
  });
  const okOf = async (ok: number) =>
    (await client.call('readJob', { params: { id: job } })).items.ok === ok || undefined;
  server.allow(6); // two whole tasks; outcomes of other tasks are still on the worker
  await until(() => okOf(6));

  const refused = await cli('backup', 'running.tgz', '--data-dir', 'data');
  expect(refused).toMatchObject({ exit: 2, stderr: expect.stringContaining('is in use by process') });
  await stop(first.program);
  expect(await cli('backup', 'backup.tgz', '--data-dir', 'data')).toMatchObject({ exit: 0 });
  expect(statSync(join(folder, 'backup.tgz')).mode & 0o777).toBe(0o600);

  // After the backup there are more outcomes, and a job whose task still runs. Both are lost.
  const second = await up(folder, 'data', port);
  // At the second heartbeat, the worker has the answer to the first, which states whether it still holds its leases.
  const heartbeatAfter = async (after: number) => {
    const { workers } = await client.call('listWorkers', {});
    const [at] = workers.map(({ last_heartbeat_at }) => Date.parse(last_heartbeat_at));
    return at !== undefined && at > after ? at : undefined;
  };
  const restartedAt = Date.now();
  const heartbeatAt = await until(() => heartbeatAfter(restartedAt));
  await until(() => heartbeatAfter(heartbeatAt));
  await until(() => server.waiting.length === 2 || undefined);
  server.allow(3);
  await until(() => okOf(9));
  const noop = async () => {
    const { job: made } = await client.submit(async function* () {
      yield '{"job_type":"noop","model":"m"}';
      yield '{"id":"a","payload":"x"}';
    });
    const { tasks } = await client.call('leaseTasks', {
      body: {
        worker_id: 'late',
        boot_id: 'b',
        lease_limit: 1,
        offers: [{ job_type: 'noop', model: 'm' }],
      },
    });
    return { id: made.id, task: tasks[0] };
  };
  const lost = await noop();
  await stop(second.program);

  expect(await cli('restore', 'backup.tgz', '--data-dir', 'restored')).toMatchObject({ exit: 0 });
  const third = await up(folder, 'restored', port);
  const late = await noop();
  expect(late.task?.task_id).not.toBe(lost.task?.task_id);
  const report = (taskId: string, output: string) =>
    client.call('completeBatch', {
      body: {
        worker_id: 'late',
        entries: [{ task_id: taskId, attempt: 1, outcomes: [{ item_id: 'a', output }], final: true }],
      },
    });
  await report(String(lost.task?.task_id), '"of the lost job"');
  await report(String(late.task?.task_id), '"of this job"');
  expect(await resultsOf(client, late.id)).toMatchObject([{ id: 'a', output: 'of this job' }]);

  server.allow(1000);
  expect(await endedJob(client, job)).toMatchObject({ state: 'done', items: { ok: 12 } });
  const outcomes = await resultsOf(client, job);
  expect(outcomes.map(({ id }) => id)).toEqual(Array.from({ length: 12 }, (_, n) => `p${n}`));
  const early = server.answered.slice(0, 6);
  expect(early.map((prompt) => server.answered.filter((each) => each === prompt).length)).toEqual([
    1, 1, 1, 1, 1, 1,
  ]);
  worker.kill('SIGTERM');
  await worker.ended;
  await stop(third.program);
});

it('writes whole backups only, overwrites nothing, and refuses a damaged backup without changes', async () => {
  const folder = testFolder();
  const cli = (...args: string[]) => macbatch(args, { cwd: folder });
  const { program } = await up(folder, 'data');
  await stop(program);

  expect(await cli('backup', 'a.tgz', '--data-dir', 'nothing')).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining('contains no database'),
  });
  expect(await cli('backup', 'a.tgz', '--data-dir', 'data')).toMatchObject({ exit: 0 });
  const bytes = readFileSync(join(folder, 'a.tgz'));
  expect(await cli('backup', 'a.tgz', '--data-dir', 'data')).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining('already exists'),
  });
  expect(readFileSync(join(folder, 'a.tgz')).equals(bytes)).toBe(true);
  expect(await cli('restore', 'a.tgz', '--data-dir', 'data')).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining('already contains a database'),
  });

  truncateSync(join(folder, 'a.tgz'), Math.floor(bytes.length / 2));
  writeFileSync(join(folder, 'b.tgz'), 'not a backup');
  for (const file of ['a.tgz', 'b.tgz']) {
    const { exit, stderr } = await cli('restore', file, '--data-dir', 'restored');
    expect({ exit, stderr }).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining('cannot be restored'),
    });
  }
  writeFileSync(join(folder, 'a.tgz'), bytes);
  expect(await cli('restore', 'a.tgz', '--data-dir', 'restored')).toMatchObject({ exit: 0 });
});
