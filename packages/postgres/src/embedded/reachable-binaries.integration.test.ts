import { execFile } from 'node:child_process';
import { chmod, cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findBinaries, programOf } from './binaries.ts';
import { reachableBinaries } from './reachable-binaries.ts';
import { serverUser } from './server-user.ts';

let parent: string;
beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), 'macbatch-test-'));
  await chmod(parent, 0o755);
});
afterAll(() => rm(parent, { recursive: true }));

describe('reachableBinaries', () => {
  it("copies the programs when the server's user cannot enter their folder", async () => {
    const found = await findBinaries();
    const closed = join(parent, 'closed');
    await mkdir(closed, { mode: 0o700 });
    // Only the programs and their libraries, not the many small files that a running server needs.
    for (const part of ['bin', 'lib']) {
      await cp(join(found.root, 'native', part), join(closed, 'native', part), {
        recursive: true,
        verbatimSymlinks: true,
      });
    }
    const user = await serverUser();
    const reached = await reachableBinaries({ ...found, root: closed }, user, join(parent, 'cache'));
    const { stdout } = await promisify(execFile)(programOf(reached, 'postgres'), ['--version'], {
      ...user,
      cwd: '/',
    });
    expect(stdout).toContain(`PostgreSQL) ${found.major}.`);
  });
});
