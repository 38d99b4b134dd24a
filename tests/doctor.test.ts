import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { openPostgres } from '@macbatch/postgres';
import { serveLocally, testFolder } from '@macbatch/testing';
import postgres from 'postgres';
import { expect, it, onTestFinished } from 'vitest';
import { startControl } from './testing/pool.ts';
import { macbatch, start } from './testing/program.ts';

interface Finding {
  readonly check: string;
  readonly state: string;
  readonly found: string;
  readonly fix?: string;
}

/** Runs `macbatch doctor`. Returns its findings and its exit code. */
async function doctor(env: Readonly<Record<string, string>>, ...args: string[]) {
  const ended = await macbatch(['doctor', '--json', ...args], {
    env: { MACBATCH_STATE_DIR: join(testFolder(), 'none'), ...env },
  });
  expect(ended.stderr).toBe('');
  const { ok, findings } = JSON.parse(ended.stdout) as { ok: boolean; findings: Finding[] };
  expect(ended.exit).toBe(ok ? 0 : 1);
  const of = (check: string) => findings.filter((each) => each.check === check);
  return { exit: ended.exit, findings, of, bad: findings.filter(({ state }) => /warn|fail/.test(state)) };
}

/** Starts a server that gives the same answer to every request. */
function serveAnswer(headers: Record<string, string>, body: string): Promise<string> {
  return serveLocally((_, response) => void response.writeHead(200, headers).end(body));
}

it('passes on a healthy machine, reports unsafe settings of the database, and passes again after its fixes', async () => {
  const folder = testFolder();
  const server = await openPostgres({ dataDir: join(folder, 'postgres') });
  onTestFinished(() => server.close());
  const env = {
    MACBATCH_STATE_DIR: join(folder, 'workers'),
    PROBE_STATE: join(folder, 'probe.json'),
    MACBATCH_USE_LITE: '0',
    MACBATCH_NOOP: '1',
  };
  const control = start('control', [], {
    env: { MACBATCH_DATABASE_URL: server.url, MACBATCH_PORT: '0', PROBE_STATE: env.PROBE_STATE },
  });
  const url = String((await control.event('control.listening'))['url']);
  const worker = start('worker', [], {
    env: { ...env, MACBATCH_CONTROL_URL: url, MACBATCH_WORKER_ID: 'mac-one' },
  });
  await worker.event('worker.running');
  const models = await serveAnswer({}, JSON.stringify({ data: [{ id: 'qwen3:8b' }, { id: 'gemma3' }] }));
  const on = { MACBATCH_STATE_DIR: env.MACBATCH_STATE_DIR, MACBATCH_URL: url };

  const healthy = await doctor(on, '--model-server', `${models}/v1`);
  expect(healthy.bad.filter(({ check }) => check !== 'disk' && check !== 'model server')).toEqual([]);
  expect(healthy.of('control plane')).toMatchObject([{ state: 'ok', found: expect.stringContaining(url) }]);
  expect(healthy.of('key')).toMatchObject([{ state: 'ok', found: expect.stringContaining('not needed') }]);
  expect(healthy.of('clock')).toMatchObject([{ state: 'ok' }]);
  expect(healthy.of('durability')).toMatchObject([{ state: 'ok' }]);
  expect(healthy.of('worker')).toMatchObject([
    { state: 'ok', found: `running here: mac-one as process ${worker.pid}` },
  ]);
  expect(healthy.of('model server')[0]).toMatchObject({
    state: 'ok',
    found: expect.stringContaining('has qwen3:8b, gemma3'),
  });

  const sql = postgres(server.url, { max: 1 });
  onTestFinished(() => sql.end());
  const set = async (name: string, value: string) => {
    await sql.unsafe(`alter system set ${name} = ${value}`);
    await sql`select pg_reload_conf()`;
    await expect
      .poll(async () => (await sql.unsafe(`show ${name}`))[0]?.[name], { timeout: 30_000 })
      .toBe(value);
  };
  for (const name of ['fsync', 'full_page_writes', 'autovacuum']) await set(name, 'off');
  const unsafe = await doctor(on);
  expect(unsafe.exit).toBe(1);
  expect(unsafe.of('durability')).toMatchObject([
    { state: 'fail', found: expect.stringContaining('fsync and full_page_writes are off') },
  ]);
  expect(unsafe.of('vacuum')).toMatchObject([{ state: 'fail' }]);
  for (const { fix = '' } of [...unsafe.of('durability'), ...unsafe.of('vacuum')])
    for (const change of fix.split(/;(?: then:)? /)) await sql.unsafe(change);
  await expect.poll(async () => (await sql`show fsync`)[0]?.['fsync'], { timeout: 30_000 }).toBe('on');

  const wrongClock = await doctor({
    ...on,
    NODE_OPTIONS: `--import ${join(import.meta.dirname, 'chaos/clock-off.ts')}`,
    CLOCK_OFF_MS: '-120000',
  });
  expect([...wrongClock.of('durability'), ...wrongClock.of('vacuum')]).toMatchObject([
    { state: 'ok' },
    { state: 'ok' },
  ]);
  expect(wrongClock.of('clock')).toMatchObject([
    {
      state: 'fail',
      found: expect.stringMatching(/(119|120) s behind/),
      fix: expect.stringContaining('sntp'),
    },
  ]);

  // An invalid key, a key without the admin role, and a database with unknown migrations.
  const made = await macbatch(['keys', 'create', '--role', 'admin', '--name', 'me'], { env: on });
  const admin = { ...on, MACBATCH_KEY: made.stdout.trim() };
  const { stdout } = await macbatch(['keys', 'create', '--role', 'submit', '--name', 'lab'], { env: admin });
  const submitter = await doctor({ ...on, MACBATCH_KEY: stdout.trim() });
  expect(submitter.exit).toBe(0);
  expect(submitter.of('key')).toMatchObject([{ found: 'valid: role submit, group lab' }]);
  expect(submitter.of('database')).toMatchObject([
    { state: 'info', found: expect.stringContaining('admin key') },
  ]);
  const stranger = await doctor({ ...on, MACBATCH_KEY: `${stdout.trim().slice(0, -4)}0000` });
  expect(stranger.bad).toMatchObject([
    { check: 'key', state: 'fail', fix: expect.stringContaining('MACBATCH_KEY') },
  ]);
  await sql`insert into drizzle.__drizzle_migrations (hash, created_at) values ('of the future', 9999999999999)`;
  await expect.poll(async () => (await fetch(`${url}/readyz`)).status, { timeout: 60_000 }).toBe(503);
  expect((await doctor(admin)).bad.filter(({ state }) => state === 'fail')).toMatchObject([
    { check: 'control plane', fix: 'Run the same release on all control planes.' },
  ]);
});

/** Returns a URL at which no server listens. */
async function unusedUrl(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return `http://127.0.0.1:${port}`;
}

it('reports servers that cannot be reached, are not a control plane, or would get secrets over plain HTTP, each with a fix', async () => {
  const stranger = await serveAnswer({}, '<html>');
  const old = await serveAnswer({ 'macbatch-protocol': '0' }, '{"ok":true}');
  const [unreachable, other, tls, plain, outdated, model] = await Promise.all([
    doctor({}, '--url', await unusedUrl()),
    doctor({}, '--url', stranger),
    doctor({}, '--url', stranger.replace('http', 'https')),
    doctor({}, '--url', 'http://192.0.2.1:7420'),
    doctor({}, '--url', old),
    doctor(
      { MACBATCH_URL: 'nonsense' },
      '--model-server',
      stranger,
      '--model-server',
      'http://127.0.0.1:9/v1',
    ),
  ]);
  const fail = (check: string, fix: string) => [{ check, state: 'fail', fix: expect.stringContaining(fix) }];
  expect(unreachable.bad).toMatchObject(fail('control plane', 'macbatch up'));
  expect(other.bad).toMatchObject(fail('control plane', '--url'));
  expect(tls.bad).toMatchObject(fail('control plane', 'uses TLS'));
  expect(plain.bad).toMatchObject([{ check: 'connection', found: expect.stringContaining('not encrypted') }]);
  expect(outdated.bad).toMatchObject(fail('protocol', 'Upgrade the control plane.'));
  expect(model.of('connection')).toMatchObject([{ found: expect.stringContaining('must be like https://') }]);
  expect(model.of('model server').slice(0, 2)).toMatchObject([
    { state: 'fail', found: expect.stringContaining('without a list of models') },
    { state: 'fail', found: expect.stringContaining('cannot be reached') },
  ]);
  expect(unreachable.exit).toBe(1);
});

it('prune: prints what it would delete, deletes it in steps, and keeps the rest', async () => {
  const control = await startControl();
  const sql = postgres(control.databaseUrl, { max: 1 });
  onTestFinished(() => sql.end());
  const submit = (items: number) =>
    control.client.submit(async function* () {
      yield '{"job_type":"noop","model":"noop","shard_size":5}';
      for (let n = 0; n < items; n += 1) yield JSON.stringify({ id: `i${n}`, payload: n });
    });
  const { job: old } = await submit(30_000);
  const { job: young } = await submit(10);
  for (const { id } of [old, young]) await control.client.call('cancelJob', { params: { id } });
  await sql`update jobs set cancelled_at = now() - interval '31 days' where id = ${old.id}`;
  const prune = (...args: string[]) =>
    macbatch(['prune', '--older-than', '30d', ...args], { env: { MACBATCH_URL: control.url } });

  const dry = await prune('--dry-run');
  expect(dry).toMatchObject({ exit: 0, stderr: '' });
  expect(dry.stdout).toMatch(
    /^1 jobs with 30,000 items in 6,000 tasks and 0\.1 MB .* would be deleted\. Nothing/,
  );
  expect(await control.client.call('readJob', { params: { id: old.id } })).toMatchObject({ id: old.id });

  const done = await prune();
  expect(done).toMatchObject({ exit: 0, stdout: expect.stringMatching(/^1 jobs deleted, 36,00\d rows\n$/) });
  expect(done.stderr).toContain('36000/36000 items and tasks deleted');
  expect(done.stderr.trim().split('\n').length).toBeGreaterThan(1);
  const { jobs } = await control.client.call('listJobs', { query: {} });
  expect(jobs.map(({ id }) => id)).toEqual([young.id]);
  expect(await prune('--json')).toMatchObject({ exit: 0, stdout: '{"jobs":0,"rows":0}\n' });
});
