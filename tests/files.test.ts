import { execFileSync } from 'node:child_process';
import { lstatSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { testFolder } from '@macbatch/testing';
import { expect, it } from 'vitest';
import { startControl } from './testing/pool.ts';
import { macbatch } from './testing/program.ts';

const LINES = ['{"id":12345678901234567890,"n":1}', '{"id":"b","n":2}'];
const FORM = ['--type', 'noop', '--model', 'noop'];

/** A shell command that gets the program as its arguments. */
const shell = (script: string) => ({ launcher: ['bash', '-c', script, 'bash'] });

it('I6: submits what a pipe delivers, and finds the job of the same lines in a file', async () => {
  const { url, client } = await startControl();
  const cwd = testFolder();
  writeFileSync(join(cwd, 'items.jsonl'), LINES.map((line) => `${line}\n`).join(''));
  const env = { MACBATCH_URL: url };
  const submit = (file: string, script: string) =>
    macbatch(['submit', file, ...FORM], { cwd, env, ...shell(script) });
  const ended = [
    await submit('-', 'cat items.jsonl | "$@"'),
    await submit('/dev/stdin', 'cat items.jsonl | "$@"'),
    await submit('/dev/stdin', '"$@" < items.jsonl'),
    await macbatch(['submit', 'items.jsonl', ...FORM], { cwd, env }),
  ];
  const ids = ended.map(({ stdout, stderr }) => {
    expect(stdout, stderr).not.toBe('');
    return stdout;
  });
  expect(new Set(ids).size).toBe(1);
  const { jobs } = await client.call('listJobs', { query: {} });
  expect(jobs).toMatchObject([{ items: { total: 2 } }]);
});

it('writes outcomes through pipes and links, and refuses a folder', async () => {
  const { url, client } = await startControl();
  const cwd = testFolder();
  const at = (name: string) => join(cwd, name);
  const { job } = await client.submit(async function* () {
    yield JSON.stringify({ job_type: 'noop', model: 'noop' });
    yield '{"id":"a","payload":1}';
  }, {});
  const [task] = (
    await client.call('leaseTasks', {
      body: { worker_id: 'ann', boot_id: 'b', offers: [{ job_type: 'noop', model: 'noop' }] },
    })
  ).tasks;
  await client.call('completeBatch', {
    body: {
      worker_id: 'ann',
      entries: [
        {
          task_id: task?.task_id ?? '',
          attempt: task?.attempt ?? 0,
          outcomes: [{ item_id: 'a', output: '1.0' }],
          final: true,
        },
      ],
    },
  });
  execFileSync('mkfifo', [at('pipe')]);
  writeFileSync(at('target.jsonl'), 'old');
  symlinkSync('target.jsonl', at('link.jsonl'));
  mkdirSync(at('folder'));
  const env = { MACBATCH_URL: url };
  const results = (output: string, script = '"$@"') =>
    macbatch(['results', job.id, '-o', output], { cwd, env, ...shell(script) });

  expect(await results('pipe', 'cat pipe > read.jsonl & "$@"; code=$?; wait; exit $code')).toMatchObject({
    exit: 0,
  });
  expect(readFileSync(at('read.jsonl'), 'utf8')).toContain('"output":1.0');
  expect(lstatSync(at('pipe')).isFIFO()).toBe(true);

  expect(await results('link.jsonl')).toMatchObject({ exit: 0 });
  expect(lstatSync(at('link.jsonl')).isSymbolicLink()).toBe(true);
  expect(readFileSync(at('target.jsonl'), 'utf8')).toContain('"output":1.0');

  expect(await results('/dev/stdout', '"$@" > redirected.jsonl')).toMatchObject({ exit: 0 });
  expect(readFileSync(at('redirected.jsonl'), 'utf8')).toContain('"output":1.0');

  const folder = await results('folder');
  expect(folder).toMatchObject({ exit: 2 });
  expect(folder.stderr).toContain('folder is a folder');

  const missing = await macbatch(['results', job.id, '--item', 'nope'], { cwd, env });
  expect(missing).toMatchObject({ exit: 1, stdout: '' });
  expect(missing.stderr).toContain('no outcome of the item nope');
  const retried = await macbatch(['retry', job.id], { cwd, env });
  expect(retried).toMatchObject({ exit: 0, stdout: 'nothing to run again: no task has failed\n' });
});

it('refuses outcomes over the input before anything runs', async () => {
  const cwd = testFolder();
  writeFileSync(join(cwd, 'in.jsonl'), '"a"\n');
  symlinkSync('in.jsonl', join(cwd, 'link.jsonl'));
  const { exit, stderr } = await macbatch(['run', 'in.jsonl', '--type', 'embed', '-o', 'link.jsonl'], {
    cwd,
  });
  expect(exit).toBe(2);
  expect(stderr).toContain('is the input file');
  expect(stderr).not.toContain('starting');
  expect(readFileSync(join(cwd, 'in.jsonl'), 'utf8')).toBe('"a"\n');
});
