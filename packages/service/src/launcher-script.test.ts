import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { testFolder } from '@macbatch/testing';
import { expect, it } from 'vitest';
import { launcherScript } from './launcher-script.ts';

/** Makes a program of the shell. */
function program(path: string, text: string): string {
  writeFileSync(path, `#!/bin/sh\n${text}\n`);
  chmodSync(path, 0o755);
  return path;
}

/** Prepares a home folder with a launcher for these Nodes. `run` runs it with `bin` first on the PATH. */
function launcher({ hasProgram = true, node = 'none' }: { hasProgram?: boolean; node?: string } = {}) {
  const folder = join(testFolder(), `Ann's & "Zoë" $HOME`);
  const bin = join(folder, 'bin');
  mkdirSync(bin, { recursive: true });
  const main = join(folder, 'worker.js');
  if (hasProgram) writeFileSync(main, '');
  const crashLog = join(folder, 'crash.log');
  const script = program(join(folder, 'macbatch-worker'), '');
  writeFileSync(
    script,
    launcherScript({
      kind: 'launchd',
      boot: false,
      home: folder,
      paths: { log: join(folder, 'worker.log'), crashLog },
      program: main,
      node: node.replace('BIN', bin),
      oldestNode: [22, 19],
      variables: { MACBATCH_WORKER_ID: "it's & $1" },
      upgradeSeconds: 0,
    }),
  );
  return {
    folder,
    bin,
    main,
    crashLog,
    run: () => spawnSync(script, { env: { PATH: `${bin}:/usr/bin:/bin` }, encoding: 'utf8' }),
  };
}

/** Plays a Node of a version: the check with -e succeeds or fails, and a run prints its arguments. */
const nodeThat = (isNew: boolean) =>
  `if [ "$1" = -e ]; then exit ${isNew ? 0 : 1}; fi\nprintf '%s|' "$0" "$@" "$HOME" "$MACBATCH_WORKER_ID"`;

it('becomes the worker, with the variables of the installation and any path', () => {
  const { bin, run, main, folder } = launcher({ node: 'BIN/recorded' });
  const node = program(join(bin, 'recorded'), nodeThat(true));
  const { status, stdout, stderr } = run();
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout).toBe([node, main, 'service', join(folder, 'worker.log'), folder, "it's & $1", ''].join('|'));
});

it('finds another Node when the recorded one is gone or too old', () => {
  const { bin, run } = launcher({ node: 'BIN/recorded' });
  program(join(bin, 'node'), nodeThat(true));
  expect(run().stdout).toMatch(/bin\/node\|/);
  program(join(bin, 'recorded'), nodeThat(false));
  expect(run().stdout).toMatch(/bin\/node\|/);
});

it('fails with EX_CONFIG when no Node is new enough', () => {
  const { bin, run } = launcher();
  program(join(bin, 'node'), nodeThat(false));
  const { status, stderr } = run();
  expect(status).toBe(78);
  expect(stderr).toContain('No Node 22.19 or newer');
});

it('unloads its service and exits with 0 when macbatch was removed', () => {
  const { bin, run, folder } = launcher({ hasProgram: false });
  program(join(bin, 'launchctl'), `echo "$@" >> "${folder.replaceAll(/["$]/g, '\\$&')}/calls"`);
  const { status, stderr } = run();
  expect(status).toBe(0);
  expect(stderr).toContain('macbatch was removed');
  expect(readFileSync(join(folder, 'calls'), 'utf8')).toMatch(
    /^bootout gui\/\d+\/dev\.macbatch\.worker\nbootout user\/\d+\/dev\.macbatch\.worker\n$/,
  );
});

it('empties a crash log above one megabyte', () => {
  const { crashLog, run } = launcher();
  writeFileSync(crashLog, 'x'.repeat(1_000_001));
  run();
  expect(statSync(crashLog).size).toBe(0);
});
