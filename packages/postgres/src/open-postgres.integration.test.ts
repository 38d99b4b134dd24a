import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withConnection } from './admin-connection.ts';
import { startOwner } from './embedded/filled-folder.fixture.ts';
import { probePort } from './embedded/local-port.ts';
import { processFacts } from './embedded/process-facts.ts';
import { openPostgres } from './open-postgres.ts';
import type { PostgresServer } from './postgres-server.ts';

let server: PostgresServer;
beforeAll(async () => {
  server = await openPostgres({ throwaway: true });
});
afterAll(() => server.close());

function changed(change: (url: URL) => void): string {
  const url = new URL(server.url);
  change(url);
  return url.href;
}

async function problemOf(url: string): Promise<{ code: unknown; message: string }> {
  const opened = await openPostgres({ url }).catch((error: unknown) => error);
  if (opened instanceof Error && 'code' in opened) return { code: opened.code, message: opened.message };
  throw new Error('the server was opened');
}

describe('openPostgres with a URL', () => {
  it('uses the server, and does not stop it on close()', async () => {
    const given = await openPostgres({ url: server.url });
    expect(given).toMatchObject({ kind: 'url', url: server.url });
    await given.close();
    const [row] = await withConnection(server.url, (sql) => sql`select 1 as one`);
    expect(row).toEqual({ one: 1 });
  });

  it('reports a refused password, without printing it', async () => {
    const { code, message } = await problemOf(
      changed((url) => {
        url.password = 'not-the-secret';
      }),
    );
    expect(code).toBe('wrong_password');
    expect(message).toMatch(/refuses user "macbatch".*Check user and password/);
    expect(message).not.toContain('not-the-secret');
  });

  it('reports an unknown user like a wrong password', async () => {
    const url = changed((to) => {
      to.username = 'nobody-here';
    });
    expect(await problemOf(url)).toMatchObject({ code: 'wrong_password' });
  });

  it('reports a database that does not exist', async () => {
    const url = changed((to) => {
      to.pathname = '/not_there';
    });
    expect(await problemOf(url)).toMatchObject({
      code: 'no_such_database',
      message: expect.stringMatching(/\/not_there answers.*Create it/),
    });
  });

  it('reports a server that cannot be reached with its address, without printing the password', async () => {
    const free = await probePort(0);
    const { code, message } = await problemOf(
      changed((url) => {
        url.port = String(free);
      }),
    );
    expect(code).toBe('unreachable');
    expect(message).toContain(`127.0.0.1:${free}/macbatch`);
    expect(message).not.toContain(new URL(server.url).password);
  });
});

describe('openPostgres with a throwaway server', () => {
  it('removes the server and its folder after the owner was killed', async () => {
    const { owner } = await startOwner();
    expect(await throwawayFoldersOf(owner.pid)).toHaveLength(1);
    await owner.sigkill();
    await expect.poll(() => throwawayFoldersOf(owner.pid), { timeout: 10_000 }).toEqual([]);
  });

  it('runs without fsync, and removes the server and its folder on close()', async () => {
    const [row] = await withConnection(
      server.url,
      (sql) => sql<{ fsync: string; postmaster: string }[]>`select
        current_setting('fsync') as fsync, pg_read_file('postmaster.pid') as postmaster`,
    );
    expect(row?.fsync).toBe('off');
    const pid = Number.parseInt(row?.postmaster ?? '', 10);
    expect(await processFacts(pid)).toBeDefined();
    await server.close();
    expect(await processFacts(pid)).toBeUndefined();
    expect(await throwawayFoldersOf(process.pid)).toEqual([]);
  });

  async function throwawayFoldersOf(pid: number): Promise<string[]> {
    const names = (await readdir(tmpdir())).filter((name) => name.startsWith('macbatch-postgres-'));
    const owned: string[] = [];
    for (const name of names) {
      const entries = await readdir(join(tmpdir(), name)).catch(() => []);
      if (entries.some((entry) => entry.startsWith(`owner-${pid}-`))) owned.push(name);
    }
    return owned;
  }
});
