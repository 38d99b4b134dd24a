import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withConnection } from '../admin-connection.ts';
import { openPostgres } from '../open-postgres.ts';
import {
  type FilledFolder,
  filledFolder,
  KEPT,
  parentOf,
  readKept,
  startOwner,
} from './filled-folder.fixture.ts';
import { processFacts } from './process-facts.ts';
import { runProgram } from './spawn.fixture.ts';

const WAIT = { timeout: 10_000, interval: 20 };

let data: FilledFolder;
beforeAll(async () => {
  data = await filledFolder();
});
afterAll(() => data.remove());

describe('the ownership of a folder', () => {
  it('is refused to a second process while the first runs, with its pid in the error', async () => {
    const { owner, url } = await startOwner(data.folder);
    try {
      const second = openPostgres({ dataDir: data.folder });
      await expect(second).rejects.toMatchObject({
        code: 'folder_in_use',
        message: expect.stringContaining(`process ${owner.pid}`),
      });
      expect(await readKept(url)).toContain(KEPT);
    } finally {
      owner.child.kill('SIGINT');
      await owner.ended();
    }
  });

  it('is free after its process died, even if another process has the same pid', async () => {
    await writeFile(
      join(data.folder, `owner-${process.ppid}-another.time`),
      'This process owns the folder.\n',
    );
    expect(await data.reopen()).toContain(KEPT);
    expect((await readdir(data.folder)).sort()).toEqual(['cluster', 'password']);
  });

  it('is granted to exactly one of many processes at the same time', async () => {
    const contested = await mkdtemp(join(tmpdir(), 'macbatch-test-'));
    const contenders = Array.from({ length: 8 }, () => runProgram('contender', contested));
    const outcomes = await Promise.all(contenders.map((contender) => contender.line()));
    expect(outcomes.sort()).toEqual(['owned', ...Array.from({ length: 7 }, () => 'refused')]);
    await Promise.all(contenders.map((contender) => contender.sigkill()));
    await rm(contested, { recursive: true });
  });
});

describe('when its owner ends', () => {
  it('by SIGKILL, the server stops and the next owner finds the data', async () => {
    const { owner, url } = await startOwner(data.folder);
    await withConnection(url, (sql) => sql`insert into kept values ('committed just before the kill')`);
    const pid = await data.postmasterPid();
    await owner.sigkill();
    await expect.poll(() => processFacts(pid), WAIT).toBeUndefined();

    const server = await openPostgres({ dataDir: data.folder });
    expect(await readKept(server.url)).toContain('committed just before the kill');
    await server.close();
  });

  it('by SIGKILL, the next owner does not wait until the server stops', async () => {
    const { owner } = await startOwner(data.folder);
    await owner.sigkill();
    expect(await data.reopen()).toContain(KEPT);
  });

  it('together with the supervisor, the next owner stops the orphaned server first', async () => {
    const { owner, url } = await startOwner(data.folder);
    const orphan = await data.postmasterPid();
    process.kill(await parentOf(orphan), 'SIGKILL');
    await owner.sigkill();
    expect(await readKept(url)).toContain(KEPT);

    const server = await openPostgres({ dataDir: data.folder });
    expect(await processFacts(orphan)).toBeUndefined();
    expect(await data.postmasterPid()).not.toBe(orphan);
    expect(await readKept(server.url)).toContain(KEPT);
    await server.close();
  });

  it('by Ctrl-C, the server runs until it is closed', async () => {
    const { owner } = await startOwner(data.folder);
    const pid = await data.postmasterPid();
    process.kill(-owner.pid, 'SIGINT');
    expect(JSON.parse(await owner.line())).toEqual({ answer: 'still here' });
    await owner.ended();
    expect((await processFacts(pid))?.command ?? '').toBe('');
  });
});

describe('the supervisor', () => {
  it('ignores signals to its owner, and close() stops the server even if the supervisor was killed', async () => {
    const lines: string[] = [];
    const server = await openPostgres({ dataDir: data.folder, log: (line) => lines.push(line) });
    const pid = await data.postmasterPid();
    const supervisor = await parentOf(pid);
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.kill(supervisor, signal);
    expect(await readKept(server.url)).toContain(KEPT);
    expect(await parentOf(pid)).toBe(supervisor);

    process.kill(supervisor, 'SIGKILL');
    await expect.poll(() => lines.at(-1), WAIT).toContain('its supervisor was killed');
    await server.close();
    // It may still be a zombie; then it has no command line.
    expect((await processFacts(pid))?.command ?? '').toBe('');
  });
});

describe('after a crash, openPostgres', () => {
  it('ignores the pid of a dead server', async () => {
    const dead = spawn('true');
    await once(dead, 'exit');
    await writePostmasterFile(dead.pid);
    expect(await data.reopen()).toContain(KEPT);
  });

  it('does not kill another program that has the pid of the dead server now', async () => {
    const { uid, gid } = await stat(data.cluster);
    const bystander = spawn('sleep', ['60'], process.getuid?.() === 0 ? { uid, gid, cwd: '/' } : {});
    await once(bystander, 'spawn');
    await writePostmasterFile(bystander.pid);
    expect(await data.reopen()).toContain(KEPT);
    expect(bystander.exitCode ?? bystander.signalCode).toBeNull();
    bystander.kill();
  });

  it('waits for the last processes of a killed server', async () => {
    const { owner } = await startOwner(data.folder);
    process.kill(await data.postmasterPid(), 'SIGKILL');
    await owner.sigkill();
    expect(await data.reopen()).toContain(KEPT);
  });

  async function writePostmasterFile(pid: number | undefined): Promise<void> {
    await writeFile(
      join(data.cluster, 'postmaster.pid'),
      `${pid}\n${data.cluster}\n1795961393\n5999\n\n127.0.0.1\n0 0\nready   \n`,
    );
    await chmod(join(data.cluster, 'postmaster.pid'), 0o644);
  }
});
