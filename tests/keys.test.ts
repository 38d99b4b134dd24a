import { execFileSync } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freshDatabase } from '@macbatch/store/testing';
import { testFolder, until } from '@macbatch/testing';
import { generate } from 'selfsigned';
import { expect, it, onTestFinished } from 'vitest';
import { jsonLines, macbatch, start } from './testing/program.ts';

/** Writes a self-signed certificate for this machine to files. */
async function certificateFiles(folder: string): Promise<{ readonly cert: string; readonly key: string }> {
  const names = [
    { type: 2 as const, value: 'localhost' },
    { type: 7 as const, ip: '127.0.0.1' },
  ];
  const pems = await generate([{ name: 'commonName', value: 'localhost' }], {
    algorithm: 'sha256',
    extensions: [{ name: 'subjectAltName', altNames: names }],
  });
  const files = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') };
  writeFileSync(files.cert, pems.cert);
  writeFileSync(files.key, pems.private, { mode: 0o600 });
  return files;
}

it('requires keys on a reachable address, lets a worker join over TLS, and prints no secret', async () => {
  const database = await freshDatabase();
  onTestFinished(() => database[Symbol.asyncDispose]());
  const folder = testFolder();
  const files = await certificateFiles(folder);
  const control = {
    MACBATCH_DATABASE_URL: database.url,
    MACBATCH_HOST: '0.0.0.0',
    MACBATCH_PORT: '0',
    MACBATCH_TLS_CERT: files.cert,
    MACBATCH_TLS_KEY: files.key,
    PROBE_STATE: join(folder, 'probe.json'),
  };

  const refused = await start('control', [], { env: control }).ended;
  expect(refused.exit).toBe(1);
  expect(refused.stdout).toContain('there is no key yet');
  const proxied = { ...control, MACBATCH_HOST: '127.0.0.1', MACBATCH_TRUST_PROXY: '1' };
  const refusedToo = await start('control', [], { env: proxied }).ended;
  expect(refusedToo.exit).toBe(1);
  expect(refusedToo.stdout).toContain('there is no key yet');

  const made = await start('control', ['keys', 'create', '--role', 'admin', '--name', 'ops'], {
    env: control,
  }).ended;
  expect(made).toMatchObject({ exit: 0 });
  const admin = made.stdout.trim();
  expect(admin).toMatch(/^mbk_/);

  const program = start('control', [], { env: control });
  const { port } = new URL(String((await program.event('control.listening'))['url']));
  const url = `https://localhost:${port}`;
  const tlsEnv = { MACBATCH_CA_FILE: files.cert, MACBATCH_URL: url };
  const cli = (env: Record<string, string>, ...args: string[]) => macbatch(args, { cwd: folder, env });

  const withoutCa = await cli({ MACBATCH_URL: url, MACBATCH_KEY: admin }, 'jobs');
  expect(withoutCa).toMatchObject({ exit: 3 });
  expect(withoutCa.stderr).toContain('Set MACBATCH_CA_FILE');
  const keyless = await cli(tlsEnv, 'jobs');
  expect(keyless).toMatchObject({ exit: 2 });
  expect(keyless.stderr).toContain('Send a key');

  const asAdmin = { ...tlsEnv, MACBATCH_KEY: admin };
  const created = await cli(asAdmin, 'keys', 'create', '--role', 'submit', '--name', 'lab');
  expect(created).toMatchObject({ exit: 0 });
  writeFileSync(join(folder, 'lab.key'), created.stdout);
  const asLab = { ...tlsEnv, MACBATCH_KEY_FILE: join(folder, 'lab.key') };
  const invited = await cli(asAdmin, 'keys', 'invite', '--json');
  const { token } = JSON.parse(invited.stdout) as { token: string };

  const mac = {
    MACBATCH_CA_FILE: files.cert,
    MACBATCH_STATE_DIR: join(folder, 'state'),
    MACBATCH_NOOP: '1',
    MACBATCH_USE_LITE: '0',
  };
  const joined = await cli(mac, 'worker', 'join', url, '--token', token, '--id', 'mac-1');
  expect(joined).toMatchObject({ exit: 0 });
  const membership = join(folder, 'state', 'mac-1', 'membership.json');
  expect(statSync(membership).mode & 0o777).toBe(0o600);
  const { key: workerKey } = JSON.parse(readFileSync(membership, 'utf8')) as { key: string };
  const twice = await cli(mac, 'worker', 'join', url, '--token', token, '--id', 'mac-2');
  expect(twice).toMatchObject({ exit: 1 });
  expect(twice.stdout).toContain('has been used or has expired');

  // The worker reads its name, the control plane's URL and its key from its folder.
  const worker = start('cli', ['worker'], { env: mac });
  await worker.event('worker.running');
  writeFileSync(join(folder, 'items.jsonl'), '{"id":"a","payload":1}\n{"id":"b","payload":2}\n');
  const submit = ['submit', 'items.jsonl', '--type', 'noop', '--model', 'noop', '--json'];
  const { id } = JSON.parse((await cli(asLab, ...submit)).stdout) as { id: string };
  expect(await cli(asLab, 'watch', id)).toMatchObject({ exit: 0 });
  expect((await cli(asLab, 'results', id)).stdout.trim().split('\n')).toHaveLength(2);
  expect(await cli(asLab, 'keys', 'list')).toMatchObject({ exit: 2 });

  const listed = await cli(asAdmin, 'keys', 'list', '--json');
  const secrets = [admin, created.stdout.trim(), token, workerKey].map((text) => text.slice(21));
  const processes = execFileSync('ps', ['axww', '-o', 'command='], { encoding: 'utf8' });
  const outputs = [
    listed.stdout,
    program.stdout(),
    program.stderr(),
    worker.stdout(),
    worker.stderr(),
    joined.stdout,
  ];
  for (const secret of secrets)
    for (const text of [...outputs, processes]) expect(text).not.toContain(secret);

  // Revokes the key while its worker works.
  const keys = JSON.parse(listed.stdout) as { id: string; worker_id: string | null }[];
  const workersKey = keys.find((each) => each.worker_id === 'mac-1');
  expect(await cli(asAdmin, 'keys', 'revoke', workersKey?.id ?? '')).toMatchObject({ exit: 0 });
  await until(() => worker.stdout().includes('This key was revoked.'));
  worker.kill('SIGTERM');
  expect((await worker.ended).exit).toBe(0);
  // A service manager starts a program again unless it exits with 0.
  const log = join(folder, 'worker.log');
  expect(await start('worker', ['service', log], { env: mac }).ended).toMatchObject({ exit: 0, stdout: '' });
  expect(jsonLines(readFileSync(log, 'utf8')).at(-1)).toMatchObject({
    event: 'worker.failed',
    error: expect.stringContaining('This key was revoked.'),
    restarts: false,
  });
});

it('refuses plain HTTP to another machine unless MACBATCH_ALLOW_HTTP is set', async () => {
  const folder = testFolder();
  const env = { MACBATCH_CONTROL_URL: 'http://192.0.2.1:7420', MACBATCH_STATE_DIR: folder };
  const refused = await start('worker', [], { env }).ended;
  expect(refused.exit).toBe(1);
  expect(refused.stdout).toContain('is not encrypted');
  const allowed = start('worker', [], { env: { ...env, MACBATCH_ALLOW_HTTP: '1' } });
  await until(() => allowed.stdout().includes('boot_id'));
});
