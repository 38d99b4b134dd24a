import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { until } from '@macbatch/testing';
import { describe, expect, it } from 'vitest';
import { startControl, startWorker } from './testing/pool.ts';
import { jsonLines, macbatch, type Program } from './testing/program.ts';

const hasJq = spawnSync('/bin/sh', ['-c', 'command -v jq']).status === 0;

interface Boot {
  readonly role: string;
  readonly name: string;
  readonly boot_id: string;
  readonly pid: number;
  readonly verdict: string;
}

/** Stops a program with SIGTERM. Returns its output. */
async function stopped(program: Program): Promise<string> {
  program.kill('SIGTERM');
  const { exit, stdout, stderr } = await program.ended;
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
  return stdout;
}

function expectJsonLines(stdout: string): void {
  expect(stdout.endsWith('\n')).toBe(true);
  for (const line of stdout.trimEnd().split('\n')) expect(() => JSON.parse(line) as unknown).not.toThrow();
}

const bootOf = (stdout: string) => jsonLines(stdout)[0]?.['boot'] as Boot;

describe.skipIf(!hasJq)('with jq (apt-get install jq / brew install jq)', () => {
  it('B3: prints one line per boot through jq, with whether the process was replaced', async () => {
    const control = await startControl();
    const filter = 'select(.boot) | {boot: .boot.boot_id, replaced: .process_replaced}';
    const boots: { readonly boot: string; readonly replaced: boolean }[] = [];
    for (let n = 1; n <= 2; n += 1) {
      // The shell and jq ignore the signal that ends the worker.
      const pipeline = startWorker(control, 'w', {
        launcher: ['/bin/sh', '-c', `trap '' TERM; "$0" "$@" | jq -c '${filter}'`],
        env: { MACBATCH_NOOP: '1' },
      });
      await until(
        async () => (await control.client.call('listBoots', { query: { name: 'w' } })).boots.length === n,
      );
      pipeline.killGroup('SIGTERM');
      const { exit, stdout, stderr } = await pipeline.ended;
      expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
      expect(stdout).toMatch(/^\{"boot":"[0-9a-f-]{36}","replaced":(true|false)\}\n$/);
      boots.push(JSON.parse(stdout) as (typeof boots)[number]);
    }
    expect(boots.map(({ replaced }) => replaced)).toEqual([false, true]);
    expect(boots[0]?.boot).not.toBe(boots[1]?.boot);
  });
});

it('B4: distinguishes a new process, a wiped disk and an unknown name', async () => {
  const control = await startControl({ MACBATCH_CONTROL_NAME: 'plane' });
  const run = async (id: string) => {
    const worker = startWorker(control, id, { env: { MACBATCH_NOOP: '1' } });
    const { verdict } = await worker.event('boot.known');
    const stdout = await stopped(worker);
    expectJsonLines(stdout);
    expect(bootOf(stdout)).toMatchObject({ pid: worker.pid, hostname: hostname(), tmp_writable: true });
    return { verdict, boot: bootOf(stdout).boot_id };
  };
  const first = await run('mac');
  const second = await run('mac');
  // Like a restart of the host with a wiped folder for temporary files, or another machine of the same name.
  rmSync(String(control.stateEnv['PROBE_STATE']));
  const third = await run('mac');
  expect([first.verdict, second.verdict, third.verdict]).toEqual([
    'first_seen',
    'same_machine_new_process',
    'same_name_wiped_disk',
  ]);

  const cli = (...args: string[]) => macbatch(['boots', ...args], { env: { MACBATCH_URL: control.url } });
  const [one, all, table] = await Promise.all([cli('mac', '--json'), cli('--json'), cli()]);
  const boots = JSON.parse(one.stdout) as Boot[];
  expect(boots.map(({ boot_id, verdict }) => ({ boot: boot_id, verdict }))).toEqual([third, second, first]);
  expect((JSON.parse(all.stdout) as Boot[]).map(({ role, name }) => `${role} ${name}`)).toEqual([
    'worker mac',
    'worker mac',
    'worker mac',
    'control plane',
  ]);
  expect(table.stdout).toMatch(/mac +worker +same_name_wiped_disk/);

  // A boot that is reported again, as after a lost answer, keeps its verdict.
  const body = {
    role: 'worker' as const,
    name: 'mac',
    previous_boot_id: null,
    boot: {
      boot_id: first.boot,
      pid: 1,
      hostname: 'mac',
      started_at: new Date(0).toISOString(),
      cwd: '/',
      tmp_writable: true,
    },
  };
  expect(await control.client.call('reportBoot', { body })).toMatchObject({ verdict: 'first_seen' });
  expect((await control.client.call('listBoots', { query: { name: 'mac' } })).boots).toHaveLength(3);

  // B1: the control plane has boot records too; they were wiped with the others.
  expectJsonLines(await stopped(control.program));
  const again = await control.again();
  expect(await again.event('boot.known')).toMatchObject({ verdict: 'same_name_wiped_disk' });
  expectJsonLines(await stopped(again));
  const last = await control.again();
  expect(await last.event('boot.known')).toMatchObject({ verdict: 'same_machine_new_process' });
});
