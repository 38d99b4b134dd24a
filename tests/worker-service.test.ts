import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { testFolder, until } from '@macbatch/testing';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { command } from './testing/command.ts';
import { startControl } from './testing/pool.ts';
import { jsonLines, macbatch, processesWith } from './testing/program.ts';
import { fakeLaunchd, hasSystemd, privateSystemd } from './testing/service-manager.ts';

/** The name of the home folder of the worker's user. */
const HOME = 'Home of Ann & Zoë';

/** The user of the service where launchd is played: root has no agents. */
const USER_ID = 501;

/** Starts a pool that requires keys. Returns how to run commands as its administrator and as the user of a Mac. */
async function newcomer(env: Readonly<Record<string, string>>, folder: string) {
  const control = await startControl();
  const home = join(folder, HOME);
  const asOps = { MACBATCH_URL: control.url, HOME: folder };
  const made = await command(['keys', 'create', '--role', 'admin', '--name', 'ops'], {
    cwd: folder,
    env: asOps,
  });
  const admin = { ...asOps, MACBATCH_KEY: made.stdout.trim() };
  const ops = (...args: string[]) => command(args, { cwd: folder, env: admin });
  const mine = {
    HOME: home,
    PATH: `${join(folder, 'bin')}:${process.env['PATH']}`,
    PROBE_STATE: join(folder, 'probe.json'),
    MACBATCH_NOOP: '1',
    MACBATCH_USE_LITE: '0',
    ...env,
  };
  return {
    url: control.url,
    home,
    ops,
    mac: async (...args: string[]) => {
      const ended = await macbatch(['worker', ...args], { cwd: home, env: mine });
      return { ...ended, said: `${ended.stdout}${ended.stderr}` };
    },
    invite: async () =>
      (JSON.parse((await ops('keys', 'invite', '--json')).stdout) as { token: string }).token,
    /** Runs a job of one item to its end. */
    runJob: async (id: string) => {
      writeFileSync(join(folder, 'items.jsonl'), `{"id":"${id}","payload":1}\n`);
      const job = ['submit', 'items.jsonl', '--type', 'noop', '--model', 'noop', '--json'];
      const { id: jobId } = JSON.parse((await ops(...job)).stdout) as { id: string };
      return (await ops('watch', jobId)).exit;
    },
  };
}

/** Makes the folder of a test, with the home folder of a Mac. */
function macFolder(): string {
  const folder = testFolder();
  mkdirSync(join(folder, 'bin'));
  mkdirSync(join(folder, HOME, 'Library'), { recursive: true });
  return folder;
}

/** Plays npm, which `worker upgrade` calls. It records its arguments. */
function fakeNpm(bin: string, calls: string): void {
  writeFileSync(join(bin, 'npm'), `#!/bin/sh\necho npm "$@" >> '${calls}'\n`);
  chmodSync(join(bin, 'npm'), 0o755);
}

/** Joins and installs. Returns how to wait for a start. `logFolder` is below the home folder. */
async function installed(
  { mac, invite, home, url }: Awaited<ReturnType<typeof newcomer>>,
  { options, logFolder }: { readonly options: readonly string[]; readonly logFolder: string },
) {
  expect(await mac('join', url, '--token', await invite(), '--id', 'mac-1')).toMatchObject({ exit: 0 });
  const ended = await mac('install', ...options);
  expect(ended).toMatchObject({ exit: 0 });
  expect(ended.said).toContain(`Worker mac-1 is running, and ${url} has answered its heartbeat.`);
  /** Waits until the worker has started so often, and a heartbeat was answered. Returns its process id. */
  return (times: number) =>
    until(() => {
      const lines = jsonLines(readFileSync(join(home, logFolder, 'worker.log'), 'utf8'));
      const running = lines.filter(({ event }) => event === 'worker.running').length;
      const boot = lines.findLast((line) => 'boot' in line)?.['boot'];
      return running === times && Number(Reflect.get(Object(boot), 'pid'));
    });
}

/** A start-up module for Node: root may not install agents, but tests may run as root. */
const AS_USER = `--import=data:text/javascript,process.getuid=()=>${USER_ID}`;

/** From a clean home folder to a worker that works for the pool, and back. */
async function stayOnMac(
  user: Awaited<ReturnType<typeof newcomer>>,
  folder: string,
  checkFiles: () => void = () => undefined,
) {
  const calls = join(folder, 'calls');
  fakeNpm(join(folder, 'bin'), calls);
  const { mac, ops, runJob, home } = user;
  const before = await readdir(home, { recursive: true });
  const started = await installed(user, { options: [], logFolder: 'Library/Logs/macbatch' });
  checkFiles();
  expect(await runJob('a')).toBe(0);

  const first = await started(1);
  expect(await ops('worker', 'pause', 'mac-1', '--reason', 'for a film')).toMatchObject({ exit: 0 });
  const paused = await mac('status');
  expect(paused).toMatchObject({ exit: 0 });
  expect(paused.stdout).toMatch(
    new RegExp(`service +running as process ${first}\n(.*\n)*pause +paused by ops .*for a film`),
  );
  expect(await ops('worker', 'resume', 'mac-1')).toMatchObject({ exit: 0 });

  process.kill(first, 'SIGKILL');
  await started(2);
  // A second installation replaces the first.
  expect(await mac('install')).toMatchObject({ exit: 0 });
  await started(3);
  expect(await mac('upgrade')).toMatchObject({ exit: 0 });
  expect(readFileSync(calls, 'utf8')).toBe(
    `npm install --global --prefix ${join(inject('programsFolder'), '../../..')} macbatch@latest\n`,
  );
  await started(4);
  expect(await runJob('b')).toBe(0);
  expect((await mac('logs')).stdout.match(/worker\.running worker_id=mac-1/g)).toHaveLength(4);

  expect((await mac('uninstall')).said).toContain('The key and the outbox of worker mac-1 are kept');
  expect((await mac('uninstall', '--yes')).said).toContain('Nothing of worker mac-1 is left.');
  expect(await readdir(home, { recursive: true })).toEqual(before);
  expect(processesWith(home)).toEqual([]);
}

it('with a played launchd: joins, installs, runs jobs, pauses, is killed, upgrades, and leaves nothing in the home folder', async () => {
  const folder = macFolder();
  fakeLaunchd(folder, join(folder, 'bin'), USER_ID);
  await stayOnMac(await newcomer({ NODE_OPTIONS: AS_USER }, folder), folder);
});

describe.skipIf(process.env['MACBATCH_TEST_LAUNCHD'] !== '1')(
  'with launchd (MACBATCH_TEST_LAUNCHD=1 on a Mac; replaces a service of this user)',
  () => {
    it('joins, installs, runs jobs, pauses, is killed, upgrades, and leaves nothing in the home folder', async () => {
      const folder = macFolder();
      const user = await newcomer({}, folder);
      const plist = join(user.home, 'Library/LaunchAgents/dev.macbatch.worker.plist');
      onTestFinished(async () => void (await user.mac('uninstall', '--yes')));
      await stayOnMac(user, folder, () => execFileSync('plutil', ['-lint', plist]));
    });
  },
);

describe.skipIf(!hasSystemd)('with a systemd of its own (apt-get install systemd; as root)', () => {
  it('installs, is killed, restarts, and leaves nothing in the home folder', async () => {
    const folder = testFolder();
    const home = join(folder, HOME);
    // The pause before a restart is ten seconds.
    const dropIn = join(home, '.config/systemd/user/macbatch-worker.service.d');
    mkdirSync(dropIn, { recursive: true });
    writeFileSync(join(dropIn, 'fast.conf'), '[Service]\nRestartSec=100ms\n');
    const user = await newcomer(await privateSystemd(home, join(folder, 'run')), folder);
    const before = await readdir(home, { recursive: true });
    const processes = processesWith(home);
    const started = await installed(user, { options: ['--boot'], logFolder: '.local/state/macbatch' });
    const first = await started(1);
    process.kill(first, 'SIGKILL');
    await started(2);
    expect(await user.mac('restart')).toMatchObject({ exit: 0 });
    const third = await started(3);
    expect((await user.mac('status')).stdout).toContain(`running as process ${third}`);
    expect((await user.mac('uninstall', '--yes')).said).toContain('Nothing of worker mac-1 is left.');
    expect(await readdir(home, { recursive: true })).toEqual(before);
    expect(processesWith(home)).toEqual(processes);
  });
});
