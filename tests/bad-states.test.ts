import { join } from 'node:path';
import { freshDatabase } from '@macbatch/store/testing';
import { testFolder, until } from '@macbatch/testing';
import postgres from 'postgres';
import { expect, it, onTestFinished } from 'vitest';
import { type Ended, jsonLines, macbatch, processesWith, start } from './testing/program.ts';

async function database(): Promise<URL> {
  const fresh = await freshDatabase();
  onTestFinished(() => fresh[Symbol.asyncDispose]());
  return new URL(fresh.url);
}

/** Runs a control plane that cannot start. Returns its error. */
async function refused(app: string[], env: Readonly<Record<string, string>>): Promise<string> {
  const PROBE_STATE = join(testFolder(), 'probe_state.json');
  const ended = await start('control', app, { env: { PROBE_STATE, MACBATCH_PORT: '0', ...env } }).ended;
  expect(ended).toMatchObject({ exit: 1, stderr: '' });
  const failures = jsonLines(ended.stdout).filter(({ event }) => event === 'control.failed');
  expect(failures).toHaveLength(1);
  const error = String(failures[0]?.['error']);
  expect(error).not.toMatch(/\n| at .*\.[jt]s:/);
  return error;
}

/** Checks that a command ended with one message without a stack. Returns its error output. */
function errorOutput(ended: Ended): string {
  expect(ended).toMatchObject({ exit: 3, stdout: '' });
  expect(ended.stderr).not.toMatch(/this is a bug| at .*\.[jt]s:/);
  expect(ended.stderr.match(/^macbatch: /gm)).toHaveLength(1);
  return ended.stderr;
}

it('reports a missing, unreachable or refusing database in one line', async () => {
  const url = await database();
  const missing = new URL(url);
  missing.pathname = '/no_such_database';
  const stranger = new URL(url);
  [stranger.username, stranger.password] = ['nobody-like-this', 'hunter2'];
  const nowhere = new URL(url);
  nowhere.port = '1';
  const [noDatabase, unknown, unreachable] = await Promise.all(
    [missing, stranger, nowhere].map((each) => refused([], { MACBATCH_DATABASE_URL: each.href })),
  );
  expect(noDatabase).toMatch(/that database does not exist.*createdb/);
  expect(unknown).toMatch(/refuses user "nobody-like-this" .*Check user and password/);
  expect(unknown).not.toContain('hunter2');
  expect(unreachable).toMatch(/No Postgres server can be reached at .*:1\b.*Check host and port/);
});

it('refuses a database that a newer version has migrated', async () => {
  const url = await database();
  const sql = postgres(url.href, { max: 1, onnotice: () => undefined });
  await sql`insert into drizzle.__drizzle_migrations (hash, created_at) values ('of the future', 9999999999999)`;
  await sql.end();
  const folder = testFolder();
  const [control, up] = await Promise.all([
    refused([], { MACBATCH_DATABASE_URL: url.href }),
    macbatch(['up', '--port', '0', '--data-dir', folder], { env: { MACBATCH_DATABASE_URL: url.href } }),
  ]);
  expect(control).toMatch(/does not know.*Upgrade this program/);
  expect(errorOutput(up)).toMatch(/The control plane did not start: .*Upgrade this program/);
});

it('reports a port that is taken, and says what to do', async () => {
  const url = (await database()).href;
  const first = start('control', [], {
    env: { PROBE_STATE: join(testFolder(), 'p.json'), MACBATCH_DATABASE_URL: url, MACBATCH_PORT: '0' },
  });
  const { port } = new URL(String((await first.event('control.listening'))['url']));
  const [control, up] = await Promise.all([
    refused([], { MACBATCH_DATABASE_URL: url, MACBATCH_PORT: port }),
    macbatch(['up', '--port', port, '--data-dir', testFolder()], { env: { MACBATCH_DATABASE_URL: url } }),
  ]);
  expect(control).toContain(`Port ${port} of 127.0.0.1 is taken. Set MACBATCH_PORT`);
  expect(errorOutput(up)).toContain(`Port ${port} of 127.0.0.1 is taken`);
});

it('refuses a second pool in the same data folder, names the owner, and does not disturb it', async () => {
  const folder = testFolder();
  const env = { TEST_FOLDER: folder };
  const args = ['up', '--port', '0', '--data-dir', join(folder, 'data'), '--json'];
  const first = start('cli', args, { env });
  const url = await until(() => jsonLines(first.stdout())[0]?.['url'] as string | undefined);
  expect(errorOutput(await macbatch(args, { env }))).toMatch(/in use by process \d+.*another folder/);
  expect(await macbatch(['jobs', '--url', url, '--json'])).toMatchObject({ exit: 0, stdout: '[]\n' });
  first.killGroup('SIGINT');
  expect(await first.ended).toMatchObject({ exit: 0 });
  expect(processesWith(folder)).toEqual([]);
});
