import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { audit, freshDatabase } from '@macbatch/store/testing';
import { testFolder, until } from '@macbatch/testing';
import { expect, it, onTestFinished } from 'vitest';
import { Dice } from './chaos/dice.ts';
import { modelServer } from './testing/model-server.ts';
import { jsonLines, macbatch, processesWith, start } from './testing/program.ts';

/** Creates a folder with prompts, a model server, and the arguments of `macbatch run`. */
async function promptRun(count: number) {
  const folder = testFolder();
  const prompts = Array.from({ length: count }, (_, n) => `Prompt ${n}`);
  writeFileSync(join(folder, 'items.jsonl'), prompts.map((prompt) => `${JSON.stringify(prompt)}\n`).join(''));
  const server = await modelServer();
  return {
    folder,
    prompts,
    server,
    args: ['run', 'items.jsonl', '--type', 'chat', '--model', 'parrot', '--shard-size', '3'].concat([
      '--endpoint',
      server.url,
    ]),
    env: {
      TEST_FOLDER: folder,
      MACBATCH_DATA_DIR: join(folder, 'data'),
      MACBATCH_GRACE_SECONDS: '0.5',
      MACBATCH_CONCURRENCY: '2',
      MACBATCH_USE_LITE: '0',
    },
    outcomes: (name = 'items.jsonl.outcomes.jsonl') =>
      jsonLines(readFileSync(join(folder, name), 'utf8')).map(({ id, status, output }) => ({
        id,
        status,
        output,
      })),
  };
}

async function databaseUrl(): Promise<string> {
  const database = await freshDatabase();
  onTestFinished(() => database[Symbol.asyncDispose]());
  return database.url;
}

it('reports a killed control plane, and continues when run again', async () => {
  const { folder, prompts, server, args, ...run } = await promptRun(12);
  const env = { ...run.env, MACBATCH_DATABASE_URL: await databaseUrl() };
  const broken = start('cli', args, { cwd: folder, env });
  server.allow(5);
  await until(() => server.answered.length === 5 && server.waiting.length > 0);
  const log = jsonLines(readFileSync(join(folder, 'data/logs/control.log'), 'utf8'));
  process.kill(Number(log.find(({ event }) => event === 'control.listening')?.['pid']), 'SIGKILL');
  const ended = await broken.ended;
  expect(ended).toMatchObject({ exit: 3, stdout: '' });
  expect(ended.stderr).toMatch(/^macbatch: The control plane ended with SIGKILL\. Its log: .*control\.log$/m);
  expect(ended.stderr).not.toMatch(/bug| at .*\.[jt]s:/);
  expect(processesWith(folder)).toEqual([]);

  server.allow(1000);
  const next = await macbatch([...args, '--json'], { cwd: folder, env });
  expect(next).toMatchObject({ exit: 0 });
  expect(next.stderr).toMatch(/continuing job .*: \d+ of 12/);
  expect(jsonLines(next.stdout)).toMatchObject([{ items: { ok: 12 } }]);
  expect(server.answered).toHaveLength(12);
  expect(new Set(server.answered)).toEqual(new Set(prompts));
  expect(await audit(env.MACBATCH_DATABASE_URL)).toEqual([]);
});

/** Kills all processes of a folder, including Postgres, like a power failure. */
async function killAllOf(folder: string): Promise<void> {
  await until(() => {
    const left = processesWith(folder);
    for (const line of left) {
      try {
        process.kill(Number.parseInt(line, 10), 'SIGKILL');
      } catch {
        // It ended by itself.
      }
    }
    return left.length === 0;
  });
}

it('I6: ends with the same outcomes after all its processes were killed three times at random points', async () => {
  const count = 24;
  const { folder, prompts, server, args, outcomes, ...run } = await promptRun(count);
  // Short leases: a lease whose answer was lost with the worker must expire.
  const env = { ...run.env, MACBATCH_RENEWED_LEASE_SECONDS: '5' };
  const random = new Dice(20_261_129);
  for (let kill = 1; kill <= 3; kill += 1) {
    const killed = start('cli', args, { cwd: folder, env });
    const before = server.answered.length;
    const answers = random.between(1, 6);
    server.allow(answers);
    await until(() => server.answered.length === before + answers);
    await killAllOf(folder);
    expect(await killed.ended).toMatchObject({ exit: 'SIGKILL', stdout: '' });
    await until(() => server.waiting.length === 0);
  }
  server.allow(1000);
  const last = await macbatch([...args, '--json'], { cwd: folder, env });
  expect(last).toMatchObject({ exit: 0 });
  expect(jsonLines(last.stdout)).toMatchObject([{ state: 'done', items: { ok: count, total: count } }]);
  expect(processesWith(folder)).toEqual([]);
  expect(new Set(server.answered)).toEqual(new Set(prompts));

  const elsewhere = {
    ...env,
    MACBATCH_DATA_DIR: join(folder, 'elsewhere'),
    MACBATCH_DATABASE_URL: await databaseUrl(),
  };
  expect(await macbatch([...args, '-o', 'whole.jsonl'], { cwd: folder, env: elsewhere })).toMatchObject({
    exit: 0,
  });
  expect(outcomes()).toHaveLength(count);
  expect(outcomes()).toEqual(outcomes('whole.jsonl'));
});
