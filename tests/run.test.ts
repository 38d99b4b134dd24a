import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { audit, freshDatabase } from '@macbatch/store/testing';
import { testFolder, until } from '@macbatch/testing';
import { expect, it, onTestFinished } from 'vitest';
import { modelServer } from './testing/model-server.ts';
import { jsonLines, macbatch, processesWith, start } from './testing/program.ts';

/** Creates a folder with an input file for `macbatch run`. */
function folderWith(lines: readonly string[]) {
  const folder = testFolder();
  writeFileSync(join(folder, 'items.jsonl'), lines.map((line) => `${line}\n`).join(''));
  return {
    folder,
    outcomes: (name = 'items.jsonl.outcomes.jsonl') =>
      readFileSync(join(folder, name), 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Outcome),
  };
}

interface Outcome {
  readonly id: string;
  readonly status: string;
  readonly output?: unknown;
  readonly error?: { readonly code: string };
  readonly attempt: number;
  readonly finished_at: string;
}

/** Uses a database of the test server, which is faster than starting an embedded one. */
async function databaseEnv() {
  const database = await freshDatabase();
  onTestFinished(() => database[Symbol.asyncDispose]());
  return { MACBATCH_DATABASE_URL: database.url };
}

const texts = (count: number) =>
  Array.from({ length: count }, (_, n) =>
    JSON.stringify({ id: `text-${n}`, payload: `Text ${n}: größer 🙂` }),
  );

it('runs a file on this machine, and runs no item twice when called again', async () => {
  const { folder, outcomes } = folderWith(texts(25));
  const env = { TEST_FOLDER: folder, MACBATCH_DATA_DIR: join(folder, 'data') };
  const args = ['run', 'items.jsonl', '--type', 'embed', '--shard-size', '4'];
  const first = await macbatch(args, { cwd: folder, env });
  expect(first).toMatchObject({ exit: 0 });
  expect(first.stderr).toMatch(/25\/25 items/);
  expect(first.stdout).toMatch(/items ok \/ failed \/ total +25 \/ 0 \/ 25/);
  expect(first.stdout).toMatch(/attempts \(leases granted\) +7/);
  expect(first.stdout).toMatch(/lease_expired_events +0/);
  expect(first.stdout).toMatch(/worker +tasks done +tasks failed +items ok +item errors +items\/s/);
  expect(first.stdout).toContain('universal-sentence-encoder-lite-en');
  const written = outcomes();
  expect(written.map(({ id, status }) => `${id} ${status}`)).toEqual(
    Array.from({ length: 25 }, (_, n) => `text-${n} ok`),
  );
  expect(existsSync(join(folder, 'items.jsonl.outcomes.jsonl.part'))).toBe(false);
  expect(processesWith(folder)).toEqual([]);

  const again = await macbatch([...args, '--json'], { cwd: folder, env });
  expect(again).toMatchObject({ exit: 0 });
  expect(again.stderr).toMatch(/continuing job .*: 25 of 25 items have an outcome/);
  expect(jsonLines(again.stdout)).toMatchObject([
    {
      state: 'done',
      leases_granted: 7,
      items: { ok: 25, total: 25 },
      outcomes: 'items.jsonl.outcomes.jsonl',
    },
  ]);
  expect(outcomes()).toEqual(written);
});

it('ends a bad item with an error, exits with 1 and a hint, and runs it again with --retry', async () => {
  const { folder, outcomes } = folderWith([...texts(4), '{"id":"bad","payload":{"no":"text"}}']);
  const env = await databaseEnv();
  const args = [
    'run',
    'items.jsonl',
    '--type',
    'embed',
    '--shard-size',
    '2',
    '--workers',
    '1',
    '-o',
    'out.jsonl',
  ];
  const first = await macbatch(args, { cwd: folder, env });
  expect(first).toMatchObject({ exit: 1 });
  expect(first.stderr).toMatch(/1 of 5 items failed.*--retry/);
  expect(first.stdout).toMatch(/done with 1 failed items/);
  expect(outcomes('out.jsonl').map(({ status }) => status)).toEqual(['ok', 'ok', 'ok', 'ok', 'error']);

  const again = await macbatch([...args, '--retry', '--json'], { cwd: folder, env });
  expect(again).toMatchObject({ exit: 1 });
  expect(again.stderr).toContain('1 task will run again, 1 item error removed');
  expect(jsonLines(again.stdout)).toMatchObject([{ leases_granted: 4, items: { ok: 4, error: 1 } }]);
});

it('tries an item of a CSV file, and writes only the joined outcomes to standard output with `-o -`', async () => {
  const folder = testFolder();
  writeFileSync(join(folder, 'items.csv'), 'id,review\n007,"good, really"\n8,bad\n');
  const env = { ...(await databaseEnv()), MACBATCH_NOOP: '1', MACBATCH_USE_LITE: '0' };
  const args = ['run', 'items.csv', '--type', 'noop', '--model', 'noop', '--workers', '1', '-o', '-'];
  const options = ['--text', 'review', '--output-format', 'csv', '--join', '--try', '1', '--yes', '--json'];
  const run = await macbatch([...args, ...options], { cwd: folder, env });
  expect(run).toMatchObject({ exit: 0 });
  expect(run.stdout).toMatch(
    /^id,review,output,status,error_code,error_message,model,finished_at\n007,"good, really",[^\n]*,ok,[^\n]*\n8,bad,[^\n]*,ok,[^\n]*\n$/,
  );
  expect(run.stderr).toMatch(/^items\.csv: CSV$/m);
  expect(run.stderr).toMatch(/^item +input +output +tokens in +tokens out +s\n(007 +good, really|8 +bad) /m);
  expect(run.stderr).toMatch(/^the other 2 items: about /m);
  expect(jsonLines(run.stderr)).toMatchObject([{ state: 'done', items: { ok: 2 } }]);
});

it('A3: names a bad line by its number in the file before it starts anything', async () => {
  const { folder } = folderWith(['{"id":"a","payload":1}', '', '{"id":"b",']);
  const run = await macbatch(['run', 'items.jsonl', '--type', 'embed'], { cwd: folder });
  expect(run).toMatchObject({ exit: 2, stdout: '' });
  expect(run.stderr).toMatch(/line 3 is not JSON/);
  expect(existsSync(join(folder, '.macbatch'))).toBe(false);
});

it('A3: names both lines of an id that is used twice', async () => {
  const { folder } = folderWith([
    '{"id":"a","payload":1}',
    '',
    '{"id":"b","payload":1}',
    '{"id":"a","payload":2}',
  ]);
  const run = await macbatch(['run', 'items.jsonl', '--type', 'embed'], {
    cwd: folder,
    env: await databaseEnv(),
  });
  expect(run).toMatchObject({ exit: 2 });
  expect(run.stderr).toMatch(/"a".*line 1.*line 4|line 4.*"a".*line 1/);
});

it('exits with 2 for an unknown option, and starts nothing', async () => {
  const { folder } = folderWith(['"text"']);
  const run = await macbatch(['run', 'items.jsonl', '--frobnicate'], { cwd: folder });
  expect(run).toMatchObject({ exit: 2, stdout: '' });
  expect(run.stderr).toContain("unknown option '--frobnicate'");
  expect(existsSync(join(folder, '.macbatch'))).toBe(false);
});

it('I6: stops everything on Ctrl-C, and continues without running an item twice when called again', async () => {
  const prompts = Array.from({ length: 12 }, (_, n) => `Prompt ${n}`);
  const { folder, outcomes } = folderWith(prompts.map((prompt) => JSON.stringify(prompt)));
  const server = await modelServer();
  const env = { ...(await databaseEnv()), TEST_FOLDER: folder, MACBATCH_GRACE_SECONDS: '0.5' };
  const args = ['run', '--type', 'chat', '--model', 'parrot', '--shard-size', '3'].concat([
    '--endpoint',
    server.url,
    '--map',
    'parrot=parrot-1',
    'items.jsonl',
  ]);
  const interrupted = start('cli', args, { cwd: folder, env });
  server.allow(5);
  await until(() => server.answered.length === 5 && server.waiting.length > 0);
  interrupted.killGroup('SIGINT');
  const stopped = await interrupted.ended;
  expect(stopped).toMatchObject({ exit: 130, stdout: '' });
  expect(stopped.stderr).toContain('run the same command again to continue');
  expect(processesWith(folder)).toEqual([]);
  expect(existsSync(join(folder, 'items.jsonl.outcomes.jsonl'))).toBe(false);

  server.allow(1000);
  const resumed = await macbatch([...args, '--json'], { cwd: folder, env });
  expect(resumed).toMatchObject({ exit: 0 });
  expect(resumed.stderr).toMatch(/continuing job .*: 5 of 12 items have an outcome/);
  expect(jsonLines(resumed.stdout)).toMatchObject([{ items: { ok: 12 }, lease_expired_events: 0 }]);
  // No prompt was sent again after it had been answered.
  expect(server.answered).toHaveLength(12);
  expect(new Set(server.answered)).toEqual(new Set(prompts));
  const outputsOf = (lines: readonly Outcome[]) =>
    lines.map(({ id, status, output }) => ({ id, status, output }));
  const resumedOutcomes = outcomes();

  // In another database all items run.
  const elsewhere = { ...env, ...(await databaseEnv()) };
  const whole = await macbatch([...args, '-o', 'whole.jsonl'], { cwd: folder, env: elsewhere });
  expect(whole).toMatchObject({ exit: 0 });
  expect(outputsOf(resumedOutcomes)).toEqual(outputsOf(outcomes('whole.jsonl')));
  expect(resumedOutcomes[4]?.output).toEqual({ text: 'You said: Prompt 4', finish_reason: 'stop' });

  const third = await macbatch(args, { cwd: folder, env });
  expect(third).toMatchObject({ exit: 0 });
  expect(outcomes()).toEqual(resumedOutcomes);
  expect(await audit(env.MACBATCH_DATABASE_URL)).toEqual([]);
});
