import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { testFolder, until } from '@macbatch/testing';
import { expect, it, onTestFinished } from 'vitest';
import { command } from './testing/command.ts';
import { type Control, endedJob, startControl, startWorker } from './testing/pool.ts';
import { jsonLines, macbatch, processesWith, start } from './testing/program.ts';

it('prints help and exits with 0', async () => {
  const help = await macbatch(['--help']);
  expect(help).toMatchObject({ exit: 0, stderr: '' });
  expect(help.stdout).toMatch(/^ {2}run\b/m);
});

it('exits with 3 and names the URL if the control plane does not answer', async () => {
  const calls = await Promise.all(
    [['jobs'], ['workers', '--json']].map((call) =>
      command([...call, '--url', 'http://127.0.0.1:9'], { cwd: testFolder() }),
    ),
  );
  for (const call of calls) {
    expect(call).toMatchObject({ exit: 3, stdout: '' });
    expect(call.stderr).toContain('http://127.0.0.1:9');
  }
});

it('runs a job with a control plane, two workers and the command line as separate programs', async () => {
  const control = await startControl();
  const folder = testFolder();
  writeFileSync(
    join(folder, 'items.jsonl'),
    Array.from({ length: 30 }, (_, n) => `${JSON.stringify({ id: `n${n}`, payload: n })}\n`).join(''),
  );
  const options = { cwd: folder, env: { MACBATCH_URL: control.url, MACBATCH_DATA_DIR: folder } };
  const program = (...args: string[]) => macbatch([...args], options);
  const cli = (...args: string[]) => command([...args], options);
  const submit = ['submit', 'items.jsonl', '--type', 'noop', '--model', 'noop', '--shard-size', '4'];

  const submitted = await program(...submit, '--json');
  expect(submitted).toMatchObject({ exit: 0 });
  const [made] = jsonLines(submitted.stdout);
  expect(made).toMatchObject({ created: true, state: 'queued', items: { total: 30 }, tasks: { total: 8 } });
  const id = String(made?.['id']);
  const [waiting, explained] = await Promise.all([
    cli('job', id, '--explain'),
    cli('job', id, '--explain', '--json'),
  ]);
  expect(waiting).toMatchObject({ exit: 0, stderr: '' });
  expect(waiting.stdout).toContain('It waits for a worker: no worker that is alive offers noop with noop.');
  expect(jsonLines(explained.stdout)).toMatchObject([
    { job: { id }, waits_for: 'waiting_for_worker', estimate: null, no_estimate: 'no_worker' },
  ]);
  const again = await cli(...submit);
  expect(again).toMatchObject({ exit: 0, stdout: `${id}\n` });
  expect(again.stderr).toContain('was submitted before');

  const first = startWorker(control, 'first', { env: { MACBATCH_NOOP: '1' } });
  const second = start('cli', ['worker', '--url', control.url, '--id', 'second', '--concurrency', '2'], {
    env: {
      ...control.stateEnv,
      MACBATCH_NOOP: '1',
      MACBATCH_USE_LITE: '0',
      // A worker ignores what the same shell sets for a control plane.
      MACBATCH_DATA_DIR: folder,
      MACBATCH_TRUST_PROXY: '1',
      MACBATCH_PREPARE: '0',
      MACBATCH_CONTROL_NAME: 'control',
    },
  });
  const watched = await program('watch', id, '--json');
  expect(watched).toMatchObject({ exit: 0 });
  expect(jsonLines(watched.stdout)).toMatchObject([
    { id, state: 'done', items: { ok: 30 }, lease_expired_events: 0 },
  ]);
  expect(watched.stderr).toContain('30/30 items');

  const [job, jobs, results, filed, one, reclaimed] = await Promise.all([
    cli('job', id, '--json'),
    cli('jobs', '--json'),
    program('results', id),
    cli('results', id, '-o', join(folder, 'out.jsonl'), '--json'),
    cli('results', id, '--item', 'n7', '--status', 'ok'),
    cli('reclaim', '--json'),
  ]);
  expect(jsonLines(job.stdout)).toMatchObject([{ id, state: 'done', model: 'noop' }]);
  expect(JSON.parse(jobs.stdout)).toMatchObject([{ id, state: 'done' }]);
  const lines = results.stdout.split('\n').slice(0, -1);
  expect(lines.map((line) => (JSON.parse(line) as { id: string }).id)).toEqual(
    Array.from({ length: 30 }, (_, n) => `n${n}`),
  );
  expect(readFileSync(join(folder, 'out.jsonl'), 'utf8')).toBe(results.stdout);
  expect(jsonLines(filed.stdout)).toEqual([{ ok: 30, error: 0, outcomes: join(folder, 'out.jsonl') }]);
  expect(jsonLines(one.stdout)).toMatchObject([{ id: 'n7', status: 'ok' }]);
  expect(jsonLines(reclaimed.stdout)).toEqual([{ reclaimed: 0, failed: 0 }]);

  // W7, B3: the output of a worker is JSON lines, and it exits with 0 on SIGTERM.
  await second.event('worker.running');
  first.kill('SIGTERM');
  second.killGroup('SIGINT');
  for (const ended of [await first.ended, await second.ended]) {
    expect(ended).toMatchObject({ exit: 0, stderr: '' });
    const events = ended.stdout.trimEnd().split('\n');
    expect(events.map((line) => (JSON.parse(line) as { event: string }).event)).toContain('worker.stopped');
  }
  const [workers, table] = await Promise.all([cli('workers', '--json'), cli('workers')]);
  expect(JSON.parse(workers.stdout)).toMatchObject([
    { worker_id: 'first', offline: true, state: 'offline' },
    { worker_id: 'second', offline: true, concurrency: 2 },
  ]);
  expect(table.stdout).toMatch(/first +offline .*said goodbye [\d.]+ s ago/);

  // A completion gives up after half a second, and this machine may be slower than that.
  const completions = (...words: string[]) =>
    until(async () => {
      const { stdout } = await cli('complete', '--', ...words);
      return stdout !== ':4\n' && stdout;
    });
  expect(await completions('watch', id.slice(0, 4))).toBe(`${id}\tdone, noop, noop\n:4\n`);
  expect(await completions('boots', 'fir')).toMatch(/^first\t.*\n:4\n$/);
});

it('T13: cancels jobs and retries failed ones on command', async () => {
  const control = await startControl();
  const folder = testFolder();
  writeFileSync(join(folder, 'items.jsonl'), '1\n2\n3\n');
  const cli = (...args: string[]) => command([...args], { cwd: folder, env: { MACBATCH_URL: control.url } });
  const made = await cli('submit', 'items.jsonl', '--type', 'noop', '--model', 'noop');
  const id = made.stdout.trim();
  const cancelled = await cli('cancel', id, '--json');
  expect(cancelled).toMatchObject({ exit: 0 });
  expect(jsonLines(cancelled.stdout)).toMatchObject([{ id, state: 'cancelled', items: { open: 3 } }]);
  const [watched, retried] = await Promise.all([cli('watch', id), cli('retry', id)]);
  expect(watched).toMatchObject({ exit: 1 });
  expect(retried).toMatchObject({ exit: 2 });
  expect(retried.stderr).toMatch(/cancelled/);

  const failed = await failedJob(control);
  const shown = await cli('watch', failed, '--json');
  expect(shown).toMatchObject({ exit: 1 });
  expect(jsonLines(shown.stdout)).toMatchObject([{ state: 'failed', items: { failed: 1 } }]);
  const grouped = await cli('failures', failed, '--json');
  const [group] = (JSON.parse(grouped.stdout) as { groups: { id: string }[] }).groups;
  expect(group).toMatchObject({ code: 'broken', message: 'it broke', count: 1, example_id: 'a' });
  const table = await cli('failures', failed);
  expect(table.stdout).toMatch(
    / 1 +[0-9a-f]{8} +broken +a +it broke\n\nnext: .*retry .* --failure [0-9a-f]{8}\n$/s,
  );
  const events = await cli('events', '--job', failed);
  expect(events.stdout.match(/broken: it broke/g)).toHaveLength(3);
  expect((await cli('events', '--kind', 'job_cancelled')).stdout).toContain('job_cancelled');
  const nothing = await cli('retry', failed, '--failure', '00000000');
  expect(nothing.stdout).toContain('no failure of the group 00000000');
  const sentBack = await cli('retry', failed, '--failure', group?.id ?? '', '--json');
  expect(sentBack).toMatchObject({ exit: 0 });
  expect(jsonLines(sentBack.stdout)).toEqual([{ tasks: 1, items: 0 }]);
  startWorker(control, 'later', { env: { MACBATCH_NOOP: '1' } });
  expect(await endedJob(control.client, failed)).toMatchObject({ state: 'done', items: { ok: 1 } });

  const unknown = await cli('job', '0198c0de-0000-7000-8000-000000000000');
  expect(unknown).toMatchObject({ exit: 2, stdout: '' });
});

/** Creates a job whose only task has failed after three leases with an error. */
async function failedJob({ client }: Control): Promise<string> {
  const { job } = await client.submit(async function* () {
    yield '{"job_type":"noop","model":"noop"}';
    yield '{"id":"a","payload":1}';
  });
  for (let n = 0; n < 3; n += 1) {
    const { tasks } = await client.call('leaseTasks', {
      body: {
        worker_id: 'broken',
        boot_id: 'b',
        lease_limit: 1,
        offers: [{ job_type: 'noop', model: 'noop' }],
      },
    });
    const error = { code: 'broken', message: 'it broke' };
    await client.call('completeBatch', {
      body: {
        worker_id: 'broken',
        entries: tasks.map(({ task_id, attempt }) => ({
          task_id,
          attempt,
          outcomes: [],
          final: false,
          error,
        })),
      },
    });
  }
  return job.id;
}

it('up: runs a control plane with its own Postgres until SIGINT', async () => {
  const folder = testFolder();
  const up = start('cli', ['up', '--port', '0', '--data-dir', join(folder, 'data'), '--json'], {
    env: { TEST_FOLDER: folder },
  });
  const url = await until(() => jsonLines(up.stdout())[0]?.['url'] as string | undefined);
  const jobs = await macbatch(['jobs', '--url', url, '--json']);
  expect(jobs).toMatchObject({ exit: 0, stdout: '[]\n' });
  up.killGroup('SIGINT');
  expect(await up.ended).toMatchObject({ exit: 0 });
  expect(processesWith(folder)).toEqual([]);
});

it('W7: npm run passes a signal to its pid on to the program', async () => {
  const folder = testFolder();
  const worker = start('cli', ['worker', '--url', 'http://127.0.0.1:9'], {
    // Without the script that installs the workspace first.
    command: ['npm', 'run', '--silent', '--ignore-scripts', 'macbatch', '--'],
    env: { MACBATCH_STATE_DIR: folder, PROBE_STATE: join(folder, 'probe_state.json') },
  });
  await until(() => worker.stdout().includes('process_replaced'));
  worker.kill('SIGTERM');
  await worker.ended;
  expect(worker.stdout()).toContain('worker.stopped');
  await until(() => processesWith(folder).length === 0);
});

it('reports all problems of a wrong configuration together and exits with 1', async () => {
  const control = start('control', [], { env: { MACBATCH_PORT: 'x', MACBATCH_PROT: '1' } });
  const worker = start('worker', [], { env: { MACBATCH_ENDPOINTS: '{', MACBATCH_CONCURRENCY: '0' } });
  onTestFinished(() => control.kill('SIGKILL'));
  const [failed] = jsonLines((await control.ended).stdout);
  expect(failed).toMatchObject({ event: 'control.failed' });
  expect(failed?.['error']).toMatch(/MACBATCH_PORT: must be a port\n.*MACBATCH_PROT: is not a variable/);
  const ended = await worker.ended;
  expect(ended.exit).toBe(1);
  expect(jsonLines(ended.stdout)[0]?.['error']).toMatch(/MACBATCH_CONCURRENCY.*\n.*MACBATCH_ENDPOINTS/s);
});

it('exits quietly when the reader of the results stops early', async () => {
  const control = await startControl();
  const { job } = await control.client.submit(async function* () {
    yield '{"job_type":"noop","model":"noop","shard_size":1000}';
    // More than a pipe holds.
    for (let n = 0; n < 2000; n += 1) yield `{"id":"${'x'.repeat(400)}-${n}","payload":${n}}`;
  });
  startWorker(control, 'w', { env: { MACBATCH_NOOP: '1' } });
  await endedJob(control.client, job.id);
  const results = start('cli', ['results', job.id, '--url', control.url]);
  await until(() => results.stdout().length > 0);
  results.closeStdout();
  expect(await results.ended).toMatchObject({ exit: 141, stderr: '' });
});
