import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPostgres, type PostgresServer } from '@macbatch/postgres';
import postgres from 'postgres';
import { generate } from 'selfsigned';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createStore } from '../store.ts';
import { submitJob } from '../testing/index.ts';
import { migrate } from './migrate.ts';

const folder = mkdtempSync(join(tmpdir(), 'macbatch-tls-'));
let server: PostgresServer;

/** A certificate that signs itself, as files: for one name, and localhost's address. */
async function certificateFor(
  name: string,
): Promise<{ readonly file: string; readonly pem: string; readonly key: string }> {
  const { cert, private: key } = await generate([{ name: 'commonName', value: name }], {
    algorithm: 'sha256',
    extensions: [
      {
        name: 'subjectAltName',
        altNames: [
          { type: 2, value: name },
          ...(name === 'localhost' ? [{ type: 7, ip: '127.0.0.1' } as const] : []),
        ],
      },
    ],
  });
  const file = join(folder, `${name}.crt`);
  writeFileSync(file, cert);
  return { file, pem: cert, key };
}

/** Writes a file as the server's own user, who alone may read a key. */
async function writeAtServer(sql: postgres.Sql, name: string, text: string): Promise<void> {
  const lines = text
    .trim()
    .split('\n')
    .map((line) => `'${line.trim()}'`);
  const rows = `select unnest(array[${lines.join(', ')}])`;
  await sql.unsafe(`copy (${rows}) to program 'umask 077 && cat > ${name}'`);
}

/** Lets the server have TLS with a certificate for this name, or none. */
async function setUp(name: string | null): Promise<void> {
  const sql = postgres(server.url, { max: 1, onnotice: () => undefined });
  if (name !== null) {
    const { pem, key } = await certificateFor(name);
    await writeAtServer(sql, 'server.crt', pem);
    await writeAtServer(sql, 'server.key', key);
  }
  await sql.unsafe(`alter system set ssl = ${name === null ? 'off' : 'on'}`);
  await sql`select pg_reload_conf()`;
  await sql.end();
}

beforeAll(async () => {
  server = await openPostgres({ throwaway: true });
  await certificateFor('elsewhere');
  await setUp('localhost');
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

const at = (host: string, query: string): string => {
  const url = new URL(server.url);
  url.hostname = host;
  url.search = query.replace('FOLDER', encodeURIComponent(folder));
  return url.href;
};
/** How the sessions of a program are connected. */
async function sessions(program: string): Promise<readonly (string | null)[]> {
  const sql = postgres(server.url, { max: 1 });
  const rows = await sql<{ version: string | null }[]>`
    select version from pg_stat_ssl join pg_stat_activity using (pid) where application_name like ${`${program}%`}`;
  await sql.end();
  return rows.map(({ version }) => version);
}

it.each([
  ['localhost', 'sslmode=verify-full&sslrootcert=FOLDER/localhost.crt'],
  ['127.0.0.1', 'sslmode=verify-full&sslrootcert=FOLDER/localhost.crt'],
  ['localhost', 'sslrootcert=FOLDER/localhost.crt'],
  ['localhost', 'sslmode=require'],
])('TLS to Postgres: a store works over %s?%s, and no session of it is plain', async (host, query) => {
  const url = at(host, query);
  await migrate(url);
  const store = createStore({ url });
  let heard = false;
  const unsubscribe = store.subscribe(() => {
    heard = true;
  });
  // What comes before it listens is not heard.
  await vi.waitFor(
    async () => {
      await submitJob(store, { items: 1 });
      expect(heard).toBe(true);
    },
    { timeout: 30_000, interval: 100 },
  );
  unsubscribe();
  const versions = await sessions('macbatch');
  expect(versions.length).toBeGreaterThan(1);
  expect(new Set(versions)).toEqual(new Set(['TLSv1.3']));
  await store.close();
});

it.each([
  [
    'an authority that is not the one',
    'localhost',
    'sslmode=verify-full&sslrootcert=FOLDER/elsewhere.crt',
    /self-signed/,
  ],
  ['no authority that anybody knows', 'localhost', 'sslmode=verify-full', /self-signed/],
  ['another name', '127.0.0.1', 'sslmode=verify-full&sslrootcert=FOLDER/elsewhere.crt', /self-signed/],
])('TLS to Postgres: a server with %s is not talked to', async (_, host, query, reason) => {
  const store = createStore({ url: at(host, query) });
  await expect(store.now()).rejects.toThrow(reason);
  await store.close();
});

/** Whether a store that asks for this gets an answer, or why not. */
async function answer(query: string): Promise<string> {
  const store = createStore({ url: at('localhost', query) });
  const answered = store.now().then(
    () => 'answered',
    (error: unknown) => String(error),
  );
  await answered;
  await store.close();
  return answered;
}

it('TLS to Postgres: a server by another name is talked to only where names do not count', async () => {
  await setUp('elsewhere');
  await vi.waitFor(async () => {
    expect(await answer('sslmode=verify-full&sslrootcert=FOLDER/elsewhere.crt')).toMatch(/does not match/);
  });
  expect(await answer('sslmode=verify-ca&sslrootcert=FOLDER/elsewhere.crt')).toBe('answered');
  expect(await answer('sslmode=require')).toBe('answered');
});

it('TLS to Postgres: a server without it is talked to only where it was not required', async () => {
  await setUp(null);
  await vi.waitFor(async () => expect(await answer('sslmode=require')).toMatch(/does not speak TLS/));
  expect(await answer('sslmode=verify-full&sslrootcert=FOLDER/localhost.crt')).toMatch(/does not speak TLS/);
  expect(await answer('sslmode=prefer')).toBe('answered');
});
