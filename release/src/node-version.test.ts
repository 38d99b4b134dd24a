import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OLDEST_NODE } from '@macbatch/doctor';
import { expect, it } from 'vitest';
import { launcherText } from './launcher.ts';
import { oldestNode } from './node-version.ts';
import { publishedFolders } from './pack.ts';
import { readManifest, WORKSPACE } from './workspace.ts';

const oldest = OLDEST_NODE.join('.');

it('every published package, doctor and the documents state the same oldest Node', async () => {
  const folders = ['apps/cli', ...(await publishedFolders())];
  expect(folders.length).toBeGreaterThan(10);
  for (const folder of folders)
    expect(readManifest(folder)).toMatchObject({ engines: { node: `>=${oldest}` } });
  const stated = {
    'README.md': `Node ${oldest} or newer`,
    'apps/cli/README.md': `Node ${oldest} or newer`,
    'docs/operations.md': `| node | older than ${oldest} |`,
  };
  for (const [page, text] of Object.entries(stated))
    expect(readFileSync(join(WORKSPACE, page), 'utf8')).toContain(text);
});

it.each([
  ['99.0', { status: 2, stdout: '', stderr: expect.stringContaining('macbatch needs Node 99.0 or newer') }],
  [oldest, { status: 0, stdout: 'started', stderr: '' }],
])('the launcher for Node %s checks the version before it loads the program', (version, ended) => {
  const folder = mkdtempSync(join(tmpdir(), 'macbatch-launcher-'));
  try {
    writeFileSync(join(folder, 'launcher.mjs'), launcherText('./program.mjs', oldestNode(`>=${version}`)));
    writeFileSync(join(folder, 'program.mjs'), "process.stdout.write('started')");
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(folder, 'launcher.mjs')], {
      encoding: 'utf8',
    });
    expect({ status, stdout, stderr }).toEqual(ended);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
