import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withConnection } from '../admin-connection.ts';
import { openPostgres } from '../open-postgres.ts';
import type { PostgresServer } from '../postgres-server.ts';
import { type FilledFolder, filledFolder, KEPT, readKept } from './filled-folder.fixture.ts';
import { processFacts } from './process-facts.ts';
import { runProgram } from './spawn.fixture.ts';

const WAIT = { timeout: 10_000, interval: 20 };

let data: FilledFolder;
beforeAll(async () => {
  data = await filledFolder();
});
afterAll(() => data.remove());

describe('openPostgres with a data folder', () => {
  let server: PostgresServer;
  const log: string[] = [];
  beforeAll(async () => {
    server = await openPostgres({ dataDir: data.folder, log: (line) => log.push(line) });
  });
  afterAll(() => server.close());

  it('keeps the data between starts', async () => {
    expect(await readKept(server.url)).toContain(KEPT);
  });

  it('listens on 127.0.0.1 only, uses UTF-8 sorted by code point, and is durable', async () => {
    const [row] = await withConnection(
      server.url,
      (sql) => sql`select
        current_setting('listen_addresses') as addresses, current_setting('unix_socket_directories') as sockets,
        current_setting('server_encoding') as encoding, current_setting('fsync') as fsync,
        current_setting('server_version_num')::int / 10000 as major, current_database() as database,
        (select string_agg(x, '' order by x) from unnest(array['b', 'a', 'B', 'é']) x) as sorted`,
    );
    expect(row).toEqual({
      addresses: '127.0.0.1',
      sockets: '',
      encoding: 'UTF8',
      fsync: 'on',
      major: 18,
      database: 'macbatch',
      sorted: 'Babé',
    });
  });

  it('stores the password in a file that only the owner can read, and requires it', async () => {
    const { mode } = await stat(join(data.folder, 'password'));
    expect((mode & 0o777).toString(8)).toBe('600');
    const url = new URL(server.url);
    url.password = 'guessed';
    await expect(openPostgres({ url: url.href })).rejects.toMatchObject({ code: 'wrong_password' });
  });

  it('passes on its log line by line', async () => {
    await expect.poll(() => log.join('\n'), WAIT).toContain('ready to accept connections');
  });

  it('refuses to open the same folder twice in one process', async () => {
    await expect(openPostgres({ dataDir: data.folder })).rejects.toMatchObject({ code: 'folder_in_use' });
    expect(await readKept(server.url)).toContain(KEPT);
  });

  it('has stopped when close() resolves, and can be closed twice', async () => {
    const pid = await data.postmasterPid();
    await Promise.all([server.close(), server.close()]);
    expect((await processFacts(pid))?.command ?? '').toBe('');
    expect((await readdir(data.folder)).sort()).toEqual(['cluster', 'password']);
  });

  it('listens on a given port, and fails if the port is taken', async () => {
    const holder = createServer().listen(0, '127.0.0.1');
    await once(holder, 'listening');
    const address = holder.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const taken = openPostgres({ dataDir: data.folder, port });
    await expect(taken).rejects.toMatchObject({
      code: 'port_taken',
      message: expect.stringContaining(`${port}`),
    });
    holder.close();
    await once(holder, 'close');

    const again = await openPostgres({ dataDir: data.folder, port });
    expect(new URL(again.url).port).toBe(String(port));
    await again.close();
  });

  it('does not keep a process alive that does not close it', async () => {
    const script = `
      import { openPostgres } from ${JSON.stringify(new URL('../index.ts', import.meta.url).href)};
      await openPostgres({ dataDir: ${JSON.stringify(data.folder)} });
    `;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'inherit' });
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(await data.reopen()).toContain(KEPT);
  });
});

describe('after an interrupted first start', () => {
  it('starts again after a kill during initdb', async () => {
    const fresh = data.beside('interrupted');
    await mkdir(fresh);
    const owner = runProgram('owner', fresh);
    const draft = async () => (await readdir(fresh)).find((name) => name.startsWith('creating-'));
    await expect
      .poll(async () => readdir(join(fresh, (await draft()) ?? '', 'data', 'base')).catch(() => []), WAIT)
      .not.toEqual([]);
    await owner.sigkill();
    expect(await readdir(fresh)).not.toContain('cluster');

    const server = await openPostgres({ dataDir: fresh });
    const [row] = await withConnection(server.url, (sql) => sql`select current_database() as name`);
    expect(row).toEqual({ name: 'macbatch' });
    await server.close();
  });

  it('continues after a kill before the database was created', async () => {
    const first = await openPostgres({ dataDir: data.folder });
    const other = new URL(first.url);
    other.pathname = '/postgres';
    await withConnection(other.href, async (sql) => {
      await sql`alter database macbatch rename to aside`;
    });
    await first.close();

    const second = await openPostgres({ dataDir: data.folder });
    await withConnection(other.href.replace(other.port, new URL(second.url).port), async (sql) => {
      await sql`drop database macbatch`;
      await sql`alter database aside rename to macbatch`;
    });
    await second.close();
  });
});

describe('openPostgres refuses a folder', () => {
  it('of another major version, and does not change it', async () => {
    const other = await folderWith({ 'cluster/PG_VERSION': '16\n' });
    await expect(openPostgres({ dataDir: other })).rejects.toMatchObject({
      code: 'other_major',
      message: expect.stringMatching(/Postgres 16.*Postgres 18/),
    });
    expect(await readdir(other)).toEqual(['cluster']);
  });

  it('with a damaged cluster, and does not replace it', async () => {
    const damaged = await folderWith({ 'cluster/base': 'precious' });
    await expect(openPostgres({ dataDir: damaged })).rejects.toMatchObject({ code: 'folder_unusable' });
    expect(await readFile(join(damaged, 'cluster', 'base'), 'utf8')).toBe('precious');
  });

  it('that is a Postgres data directory of another program', async () => {
    const foreign = await folderWith({ PG_VERSION: '18\n' });
    await expect(openPostgres({ dataDir: foreign })).rejects.toMatchObject({ code: 'folder_unusable' });
  });

  it('that cannot be created', async () => {
    const file = join(await folderWith({ file: '' }), 'file');
    await expect(openPostgres({ dataDir: join(file, 'data') })).rejects.toMatchObject({
      code: 'folder_unusable',
    });
  });

  it('without its password file, and names the file', async () => {
    const stripped = await folderWith({ 'cluster/PG_VERSION': '18\n' });
    await expect(openPostgres({ dataDir: stripped })).rejects.toMatchObject({
      code: 'folder_unusable',
      message: expect.stringContaining('password'),
    });
    expect(await readdir(stripped)).toEqual(['cluster']);
  });

  async function folderWith(files: Record<string, string>): Promise<string> {
    const made = await mkdtemp(data.beside('folder-'));
    await mkdir(join(made, 'cluster'));
    for (const [name, text] of Object.entries(files)) await writeFile(join(made, name), text);
    return made;
  }
});
