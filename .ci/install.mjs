/**
 * Installs the workspace, unless that was done for this lock file. Every script of `package.json` runs it first, so
 * that each works on a fresh clone. It must run on Node 20, before the workspace's own Node is installed.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const workspace = fileURLToPath(new URL('..', import.meta.url));
const stamp = join(workspace, 'node_modules/.installed-lock');
const hash = createHash('sha256');
for (const name of ['pnpm-lock.yaml', 'pnpm-workspace.yaml', 'package.json'])
  hash.update(readFileSync(join(workspace, name)));
const lock = hash.digest('hex');

if (installedLock() !== lock) {
  const { packageManager } = JSON.parse(readFileSync(join(workspace, 'package.json'), 'utf8'));
  const { status } = spawnSync('npx', ['-y', packageManager, 'install', '--frozen-lockfile', '--silent'], {
    cwd: workspace,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  if (status !== 0) process.exit(status ?? 1);
  writeFileSync(stamp, lock);
}

function installedLock() {
  try {
    return readFileSync(stamp, 'utf8');
  } catch {
    return undefined;
  }
}
