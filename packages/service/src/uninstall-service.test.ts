import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { testFolder } from '@macbatch/testing';
import { expect, it } from 'vitest';
import { makeFolder, writeInstallRecord } from './install-record.ts';
import type { ServiceContext } from './service-context.ts';
import type { Ran } from './service-host.ts';
import { servicePaths } from './service-paths.ts';
import { uninstallService } from './uninstall-service.ts';

const OK: Ran = { code: 0, stdout: '', stderr: '' };

/** Makes a home folder with an installed service. `answers`: what systemctl says; `agrees`: what the person says. */
async function installed({
  unsent = 0,
  agrees = false,
  answers = OK,
  hasRecord = true,
}: {
  readonly unsent?: number;
  readonly agrees?: boolean;
  readonly answers?: Ran;
  readonly hasRecord?: boolean;
}) {
  const home = testFolder();
  mkdirSync(join(home, '.config'));
  const paths = servicePaths('systemd', home, false);
  const made: string[] = [];
  for (const folder of [dirname(paths.definition), dirname(paths.launcher), paths.logFolder])
    made.push(...(await makeFolder(folder)));
  for (const file of [paths.launcher, paths.definition, paths.log, `${paths.log}.4`, paths.crashLog])
    writeFileSync(file, '');
  if (hasRecord)
    await writeInstallRecord(paths.record, {
      boot: false,
      enabled_linger: true,
      program: '/macbatch/worker.js',
      node: '/bin/node',
      worker_id: 'mac-1',
      state_folder: join(home, '.macbatch/workers'),
      made_folders: made,
    });
  const did: string[] = [];
  const context: ServiceContext = {
    host: {
      userId: 501,
      now: () => 0,
      sleep: async () => undefined,
      show: async () => 0,
      run: async (file, args) => {
        did.push([file, ...args].join(' '));
        return answers;
      },
    },
    kind: 'systemd',
    env: {},
    home,
    execPath: '/bin/node',
    oldestNode: [22, 19],
    program: '/macbatch/worker.js',
    variables: {},
    describe: async () => ({
      worker_id: 'mac-1',
      state_folder: join(home, '.macbatch/workers'),
      url: 'https://pool',
      joined: true,
      configured: false,
      unsent,
    }),
    forget: async () => void did.push('forget'),
    confirm: async (question) => {
      did.push(question);
      return agrees;
    },
    say: (line) => void did.push(line),
  };
  return { home, paths, did, context };
}

it('asks before it deletes the key and what was not sent, and keeps them without an answer', async () => {
  const { context, did, home } = await installed({ unsent: 3 });
  await uninstallService(context, { yes: false });
  expect(did).toContain(
    'Worker mac-1 does not run any more. Also delete its key and 3 outcomes that https://pool has not received?',
  );
  expect(did).not.toContain('forget');
  expect(readdirSync(home, { recursive: true })).toEqual(['.config']);
});

it('forgets the worker when the person agrees, or --yes answers for the person', async () => {
  const asked = await installed({ agrees: true });
  await uninstallService(asked.context, { yes: false });
  expect(asked.did).toContain('forget');
  const told = await installed({});
  await uninstallService(told.context, { yes: true });
  expect(told.did).toContain('forget');
  expect(told.did.some((line) => line.endsWith('?'))).toBe(false);
});

it('takes back that services run without a login', async () => {
  const { context, did } = await installed({});
  await uninstallService(context, { yes: true });
  expect(did).toContain('loginctl disable-linger');
});

const NO_SESSION: Ran = { code: 1, stdout: '', stderr: 'Failed to connect to bus' };

it('keeps every file while the service manager does not answer: the service would start again', async () => {
  const { context, did, paths } = await installed({ answers: NO_SESSION });
  await expect(uninstallService(context, { yes: true })).rejects.toThrow('does not answer');
  expect(did).not.toContain('forget');
  expect(existsSync(paths.launcher)).toBe(true);
});

it('forgets a worker that was never installed, also where no service manager answers', async () => {
  const { context, did } = await installed({ answers: NO_SESSION, hasRecord: false });
  await uninstallService(context, { yes: true });
  expect(did).toContain('forget');
});
