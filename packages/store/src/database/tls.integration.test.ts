import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPostgres, type PostgresServer } from '@macbatch/postgres';
import postgres from 'postgres';
import { generate } from 'selfsigned';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createStore } from '../create-store.ts';
import { submitJob } from '../testing/index.ts';
import { migrate } from './migrate.ts';

const folder = mkdtempSync(join(tmpdir(), 'macbatch-tls-'));
let server: PostgresServer;

/** Writes a self-signed certificate for a name; for localhost also for its address. */
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

/** Writes a file as the server's user. Only that user may read the key. */
async function writeAtServer(sql: postgres.Sql, name: string, text: string): Promise<void> {
  const lines = text
    .trim()
    .split('\n')
    .map((line) => `'${line.trim()}'`);
  const rows = `select unnest(array[${lines.join(', ')}])`;
  await sql.unsafe(`copy (${rows}) to program 'umask 077 && cat > ${name}'`);
}

/** Turns TLS on with a certificate for this name, or off for null. */
async function setTls(name: string | null): Promise<void> {
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
  await setTls('localhost');
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
/** The TLS versions of a program's sessions; null for a plain one. */
async function tlsVersions(program: string): Promise<readonly (string | null)[]> {
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
])('TLS to Postgres: every session of a store at %s?%s uses TLS', async (host, query) => {
  const url = at(host, query);
  await migrate(url);
  const store = createStore({ url });
  let notified = false;
  const unsubscribe = store.subscribe(() => {
    notified = true;
  });
  // Notifications from before it listens are lost.
  await vi.waitFor(
    async () => {
      await submitJob(store, { items: 1 });
      expect(notified).toBe(true);
    },
    { timeout: 30_000, interval: 100 },
  );
  unsubscribe();
  const versions = await tlsVersions('macbatch');
  expect(versions.length).toBeGreaterThan(1);
  expect(new Set(versions)).toEqual(new Set(['TLSv1.3']));
  await store.close();
});

it.each([
  [
    'a certificate that sslrootcert does not match',
    'localhost',
    'sslmode=verify-full&sslrootcert=FOLDER/elsewhere.crt',
    /self-signed/,
  ],
  ['a certificate of no known authority', 'localhost', 'sslmode=verify-full', /self-signed/],
  [
    'a certificate for another name',
    '127.0.0.1',
    'sslmode=verify-full&sslrootcert=FOLDER/elsewhere.crt',
    /self-signed/,
  ],
])('TLS to Postgres: rejects a server with %s', async (_, host, query, reason) => {
  const store = createStore({ url: at(host, query) });
  await expect(store.now()).rejects.toThrow(reason);
  await store.close();
});

/** Connects a store with these parameters. Returns `connected`, or the error. */
async function connectWith(query: string): Promise<string> {
  const store = createStore({ url: at('localhost', query) });
  const answered = store.now().then(
    () => 'connected',
    (error: unknown) => String(error),
  );
  await answered;
  await store.close();
  return answered;
}

it('TLS to Postgres: accepts a certificate for another name only in modes that do not check names', async () => {
  await setTls('elsewhere');
  await vi.waitFor(async () => {
    expect(await connectWith('sslmode=verify-full&sslrootcert=FOLDER/elsewhere.crt')).toMatch(
      /does not match/,
    );
  });
  expect(await connectWith('sslmode=verify-ca&sslrootcert=FOLDER/elsewhere.crt')).toBe('connected');
  expect(await connectWith('sslmode=require')).toBe('connected');
});

it('TLS to Postgres: accepts a server without TLS only in modes that do not require it', async () => {
  await setTls(null);
  await vi.waitFor(async () => expect(await connectWith('sslmode=require')).toMatch(/does not support TLS/));
  expect(await connectWith('sslmode=verify-full&sslrootcert=FOLDER/localhost.crt')).toMatch(
    /does not support TLS/,
  );
  expect(await connectWith('sslmode=prefer')).toBe('connected');
});
