import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { promisify } from 'node:util';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withConnection } from '../admin-connection.ts';
import { openPostgres } from '../open-postgres.ts';
import type { PostgresServer } from '../postgres-server.ts';
import { createDatabase } from './create-database.ts';
import { dockerAnswers } from './docker-answers.ts';
import { openTestPostgres } from './open-test-postgres.ts';

let server: PostgresServer;
beforeAll(async () => {
  server = await openPostgres({ throwaway: true });
});
afterAll(() => server.close());

const fill = (url: string) =>
  withConnection(url, async (sql) => {
    await sql`create table migrated (version int)`;
    await sql`insert into migrated values (7)`;
  });

async function versionsIn(url: string): Promise<number[]> {
  const rows = await withConnection(url, (sql) => sql<{ version: number }[]>`select version from migrated`);
  return rows.map(({ version }) => version);
}

async function databases(url: string): Promise<string[]> {
  const rows = await withConnection(
    url,
    (sql) => sql<{ name: string }[]>`select datname as name from pg_database`,
  );
  return rows.map(({ name }) => name);
}

const dockerThere = await dockerAnswers();

describe('createDatabase', () => {
  it('makes independent copies of a template, even many at the same time', async () => {
    const template = await createDatabase(server.url, 'filled');
    await fill(template.url);
    const names = ['copy_1', 'copy_2', 'copy_3'];
    const copies = await Promise.all(names.map((name) => createDatabase(server.url, name, 'filled')));
    for (const copy of copies) expect(await versionsIn(copy.url)).toEqual([7]);
    await Promise.all([template, ...copies].map(({ drop }) => drop()));
    expect((await databases(server.url)).filter((name) => /^(filled|copy_)/.test(name))).toEqual([]);
  });

  it('drops a database while a client is connected, and can be dropped twice', async () => {
    const database = await createDatabase(server.url, 'in_use');
    const client = postgres(database.url, { max: 1, onnotice: () => undefined });
    await client`select 1`;
    await database.drop();
    await database.drop();
    expect(await databases(server.url)).not.toContain('in_use');
    await client.end({ timeout: 1 });
  });

  it.each(['x'.repeat(64), 'Upper', 'a b', 'a"; drop database postgres', ''])(
    'refuses the name "%s", which would need escaping in a URL',
    async (name) => {
      await expect(createDatabase(server.url, name)).rejects.toThrow(RangeError);
    },
  );
});

describe('openTestPostgres', () => {
  it('starts an embedded server with a filled template', async () => {
    const opened = await openTestPostgres({ choice: 'embedded', template: { name: 'migrated', fill } });
    expect(opened.kind).toBe('embedded');
    const copy = await createDatabase(opened.url, 'copy', 'migrated');
    expect(await versionsIn(copy.url)).toEqual([7]);
    await opened.close();
  });

  it('uses the server of a URL, and drops only the template at the end', async () => {
    const opened = await openTestPostgres({ choice: server.url, template: { name: 'migrated', fill } });
    expect(opened).toMatchObject({ kind: 'url', url: server.url });
    expect(await databases(server.url)).toContain('migrated');
    await opened.close();
    expect(await databases(server.url)).not.toContain('migrated');
  });

  it('stops the server when the template cannot be filled', async () => {
    const failing = { name: 'broken', fill: () => Promise.reject(new Error('the migration is broken')) };
    await expect(openTestPostgres({ choice: server.url, template: failing })).rejects.toThrow(
      'migration is broken',
    );
    expect(await databases(server.url)).not.toContain('broken');
  });

  it('refuses a choice that is not valid', async () => {
    await expect(openTestPostgres({ choice: 'docker' })).rejects.toThrow(/MACBATCH_TEST_POSTGRES must be/);
  });

  it('does not wait for a Docker engine that hangs', async () => {
    const engine = createServer(() => undefined).listen(0, '127.0.0.1');
    await once(engine, 'listening');
    const look = new URL('./docker-answers.ts', import.meta.url).href;
    // In another process, because Testcontainers caches the engine that it found.
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [
        '--input-type=module',
        '-e',
        `const { dockerAnswers } = await import('${look}'); console.log(await dockerAnswers(500)); process.exit()`,
      ],
      { env: { ...process.env, DOCKER_HOST: `tcp://127.0.0.1:${(engine.address() as AddressInfo).port}` } },
    );
    expect(stdout).toBe('false\n');
    engine.close();
  });

  it.skipIf(!dockerThere)(
    'starts a container if Docker answers (needs Docker: https://docs.docker.com/get-docker, or DOCKER_HOST)',
    { timeout: 120_000 },
    async () => {
      const opened = await openTestPostgres({
        choice: undefined,
        template: { name: 'migrated', fill },
      });
      expect(opened.kind).toBe('container');
      const copy = await createDatabase(opened.url, 'copy', 'migrated');
      expect(await versionsIn(copy.url)).toEqual([7]);
      await opened.close();
      await expect(openPostgres({ url: opened.url })).rejects.toMatchObject({ code: 'unreachable' });
    },
  );
});
