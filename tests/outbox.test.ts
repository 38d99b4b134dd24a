import { appendFileSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { audit } from '@macbatch/store/testing';
import { testFolder, until } from '@macbatch/testing';
import { expect, it } from 'vitest';
import { modelServer } from './testing/model-server.ts';
import {
  type Control,
  endedJob,
  parrotAt,
  resultsOf,
  startControl,
  startWorker,
  submitPrompts,
} from './testing/pool.ts';
import { jsonLines, macbatch, start } from './testing/program.ts';

const outboxOf = (control: Control, worker: string) =>
  join(String(control.stateEnv['MACBATCH_STATE_DIR']), worker, 'outbox.jsonl');

const outcomesIn = (path: string) =>
  existsSync(path) ? readFileSync(path, 'utf8').split('"kind":"outcome"').length - 1 : 0;

it('W6: reports after a restart what a killed worker had finished and not reported', async () => {
  const control = await startControl();
  const server = await modelServer();
  const job = await submitPrompts(control.client, 8, 8);
  const env = { ...parrotAt(server.url), MACBATCH_CONCURRENCY: '3' };
  const killed = startWorker(control, 'w', { env });
  await until(() => server.waiting.length > 0);
  control.program.kill('SIGKILL');
  await control.program.ended;
  const outbox = outboxOf(control, 'w');
  server.allow(4);
  await until(() => outcomesIn(outbox) === 4 && server.waiting.length === 3);
  killed.kill('SIGKILL');
  await killed.ended;
  await until(() => server.waiting.length === 0);
  expect(statSync(outbox).mode & 0o777).toBe(0o600);
  // A line that a crash cut off.
  appendFileSync(outbox, '{"kind":"outcome","deployment":"');

  await control.again();
  server.allow(1000);
  const next = startWorker(control, 'w', { env });
  expect(await next.event('outbox.dropped')).toMatchObject({ lines: 1 });
  expect(await next.event('outbox.recovered')).toMatchObject({ tasks: 1, outcomes: 4 });
  expect(await endedJob(control.client, job)).toMatchObject({
    state: 'done',
    items: { ok: 8 },
    // After a kill, the rest of the task is handed back like one whose lease has expired, without waiting for that.
    lease_expired_events: 1,
    leases_granted: 2,
  });
  expect(server.answered).toHaveLength(8);
  expect(new Set(server.answered).size).toBe(8);
  const results = await resultsOf(control.client, job);
  expect(results.filter(({ attempt }) => attempt === 1)).toHaveLength(4);
  await until(() => statSync(outbox).size === 0);
  expect(await audit(control.databaseUrl)).toEqual([]);
});

it('W6: takes no new work while the disk is full, reports its outcomes, and continues later', async () => {
  const control = await startControl();
  const server = await modelServer();
  const { job } = await control.client.submit(async function* () {
    yield JSON.stringify({ job_type: 'chat', model: 'parrot', shard_size: 2 });
    for (let n = 0; n < 6; n += 1) yield JSON.stringify({ id: `p${n}`, payload: `${n}${'x'.repeat(7000)}` });
  });
  // Limits the file size of this process to some kilobytes: one outcome fits, the second does not.
  const full = startWorker(control, 'full', {
    launcher: ['/bin/sh', '-c', 'ulimit -f 20 && exec "$0" "$@"'],
    env: {
      ...parrotAt(server.url),
      NODE_DISABLE_COMPILE_CACHE: '1',
      MACBATCH_CONCURRENCY: '2',
      MACBATCH_LEASE_LIMIT: '1',
      MACBATCH_HEARTBEAT_SECONDS: '0.2',
    },
  });
  // The second lease arrives before the disk is full: the worker asked for it when it had no more items to start.
  const leases = () => jsonLines(full.stdout()).filter(({ event }) => event === 'task.leased').length;
  await until(() => server.waiting.length === 1);
  server.allow(1); // the worker sends a server its second request only after an answer to the first
  await until(() => server.waiting.length === 2 && leases() === 2);
  server.allow(1000);
  expect(await endedJob(control.client, job.id)).toMatchObject({
    state: 'done',
    items: { ok: 6 },
    lease_expired_events: 0,
    leases_granted: 3,
  });
  await full.event('outbox.writable');
  expect(server.answered).toHaveLength(6);
  full.kill('SIGTERM');
  const ended = await full.ended;
  expect(ended).toMatchObject({ exit: 0 });
  const events = jsonLines(ended.stdout).map(({ event }) => event);
  expect(jsonLines(ended.stdout).find(({ event }) => event === 'outbox.unwritable')).toMatchObject({
    reason: expect.stringContaining('EFBIG'),
    effect: 'no new work is taken',
  });
  let writable = true;
  for (const event of events) {
    if (event === 'outbox.unwritable') writable = false;
    if (event === 'outbox.writable') writable = true;
    if (!writable) expect(event).not.toBe('task.leased');
  }
  expect(statSync(outboxOf(control, 'full')).size).toBe(0);
  expect(await audit(control.databaseUrl)).toEqual([]);
});

it('refuses a second worker with the same id, and a purge, while a worker runs', async () => {
  const state = join(testFolder(), 'workers');
  const env = {
    MACBATCH_STATE_DIR: state,
    PROBE_STATE: join(state, '..', 'probe.json'),
    MACBATCH_CONTROL_URL: 'http://127.0.0.1:9',
    MACBATCH_NOOP: '1',
    MACBATCH_USE_LITE: '0',
  };
  const first = start('worker', [], { env: { ...env, MACBATCH_WORKER_ID: 'mac-1' } });
  await first.event('heartbeat.failed');
  const outbox = join(state, 'mac-1', 'outbox.jsonl');
  writeFileSync(outbox, 'finished outcomes\n');
  const [second, purge] = await Promise.all([
    macbatch(['worker', '--id', 'mac-1'], { env }),
    macbatch(['worker', 'purge', '--id', 'mac-1'], { env }),
  ]);
  for (const refused of [second, purge]) {
    expect(refused).toMatchObject({ exit: 1, stderr: '' });
    expect(jsonLines(refused.stdout).at(-1)).toMatchObject({
      event: 'worker.failed',
      error: expect.stringMatching(
        new RegExp(`^Worker mac-1 is already running here as process ${first.pid}\\.`),
      ),
    });
  }
  expect(readFileSync(outbox, 'utf8')).toBe('finished outcomes\n');

  first.kill('SIGKILL');
  await first.ended;
  const purged = await macbatch(['worker', 'purge', '--id', 'mac-1'], { env });
  expect(purged).toMatchObject({ exit: 0, stderr: '' });
  expect(jsonLines(purged.stdout)).toMatchObject([{ event: 'outbox.purged', worker_id: 'mac-1' }]);
  expect(existsSync(outbox)).toBe(false);
});
