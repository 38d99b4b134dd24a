import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import {
  ConnectionPool,
  type ConnectionPoolsOptions,
  Database,
  openConnectionPools,
} from '@macbatch/connection';
import postgres from 'postgres';
import { expect, it, onTestFinished } from 'vitest';
import { sharedStore } from '../testing/index.ts';

const db = sharedStore();

function connections(options: Partial<ConnectionPoolsOptions> = {}) {
  const opened = openConnectionPools({ url: db.url, ...options });
  onTestFinished(() => opened.close());
  return opened;
}

/** Puts a TCP proxy in front of the test database. `cut(true)` drops all bytes without closing a connection. */
async function proxy(): Promise<{ readonly url: string; cut(yes: boolean): void }> {
  const behind = new URL(db.url);
  const sockets = new Set<Socket>();
  let isCut = false;
  const server = createServer((near) => {
    const far = connect(Number(behind.port), behind.hostname);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from.on('error', () => to.destroy()).on('close', () => to.destroy()));
      from.on('data', (bytes) => {
        if (!isCut) to.write(bytes);
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The proxy has no port.');
  // The server may have another address than the proxy, for example in a container.
  const url = Object.assign(new URL(db.url), { hostname: '127.0.0.1', port: String(address.port) });
  return {
    url: url.href,
    cut: (yes) => {
      isCut = yes;
    },
  };
}

it('a connection pool never returns the rows of another statement while backends are killed', async () => {
  const { durable } = connections();
  const killer = postgres(db.url, { max: 1, onnotice: () => undefined });
  let over = false;
  const killing = (async () => {
    while (!over) {
      await killer`
        select pg_sleep(0.01), pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name = 'macbatch' and random() < 0.3`;
    }
  })();
  const answers = await Promise.all(
    Array.from({ length: 400 }, async (_, n) => {
      const own = async (sql: postgres.Sql) => sql<{ n: number }[]>`select ${n}::int as n, pg_sleep(0.001)`;
      const asked =
        n % 3 === 0
          ? durable.transaction(async (sql) => {
              await sql`select 1`;
              return own(sql);
            })
          : durable.run(own);
      return asked.then(
        ([row]) => (row?.n === n ? 'own' : 'of another statement'),
        (error: unknown) => String(error instanceof Error && (Reflect.get(error, 'code') ?? error.stack)),
      );
    }),
  );
  over = true;
  await killing;
  await killer.end();
  const kinds = new Set(answers);
  expect(kinds).toContain('own');
  for (const kind of ['own', '57P01', 'CONNECTION_CLOSED', 'ECONNRESET', 'EPIPE']) kinds.delete(kind);
  expect([...kinds]).toEqual([]);
  // Every connection still works. The last kills may still be running.
  const numbers = Array.from({ length: 50 }, (_, n) => n);
  const after = async () => {
    const rows = await Promise.all(
      numbers.map((n) => durable.run(async (sql) => sql`select ${n}::int as n`)),
    );
    return rows.map(([row]) => row?.['n']);
  };
  await expect.poll(() => after().catch(() => []), { timeout: 20_000 }).toEqual(numbers);
});

it('a connection pool rejects at the deadline when the server stops answering, and works when it answers again', async () => {
  const { url, cut } = await proxy();
  const { durable } = connections({ url: `${url}?connect_timeout=1`, statementMs: 200 });
  const selectOne = () => durable.run(async (sql) => sql`select 1 as one`);
  expect(await selectOne()).toMatchObject([{ one: 1 }]);
  cut(true);
  await expect(selectOne()).rejects.toMatchObject({ code: 'DATABASE_TIMEOUT' });
  await expect(selectOne()).rejects.toMatchObject({
    code: expect.stringMatching(/^(CONNECT_TIMEOUT|CONNECTION_CLOSED|DATABASE_TIMEOUT)$/),
  });
  cut(false);
  await expect
    .poll(() => selectOne().catch(() => undefined), { timeout: 20_000 })
    .toMatchObject([{ one: 1 }]);
});

it('the server’s time-out ends a slow statement, and the connection pool’s deadline ends an idle transaction', async () => {
  const { durable } = connections({ connections: 1, statementMs: 300 });
  await expect(durable.run(async (sql) => sql`select pg_sleep(60)`)).rejects.toMatchObject({ code: '57014' });
  const [idle, next] = await Promise.allSettled([
    durable.transaction(() => new Promise(() => undefined)),
    durable.run(async (sql) => sql`select 1 as one`),
  ]);
  expect(idle).toMatchObject({ status: 'rejected', reason: { code: 'DATABASE_TIMEOUT' } });
  expect(next).toMatchObject({ status: 'fulfilled', value: [{ one: 1 }] });
});

it('a connection pool ends long work that reports no progress, and keeps work that does', async () => {
  const pool = new ConnectionPool(new Database(db.url), {
    applicationName: 'macbatch',
    settings: {},
    maxConnections: 2,
    deadlineMs: 500,
  });
  onTestFinished(() => pool.close());
  const work = (reportsProgress: boolean) =>
    pool.transaction(async (sql, alive) => {
      for (let n = 0; n < 6; n += 1) {
        await sql`select pg_sleep(0.6)`;
        if (reportsProgress) alive();
      }
      return 'ended';
    });
  const [reporting, silent] = await Promise.allSettled([work(true), work(false)]);
  expect(reporting).toMatchObject({ status: 'fulfilled', value: 'ended' });
  expect(silent).toMatchObject({ status: 'rejected', reason: { code: 'DATABASE_TIMEOUT' } });
});

it('a connection pool rejects a transaction with a failed statement, even if the callback resolves', async () => {
  const { durable } = connections();
  await expect(
    durable.transaction(async (sql) => {
      await sql`create table rolled_back (n int)`;
      await sql`select 1 / 0`.catch(() => undefined);
    }),
  ).rejects.toThrow('the transaction was rolled back');
  const [row] = await durable.run(async (sql) => sql`select to_regclass('rolled_back') as found`);
  expect(row).toEqual({ found: null });
});

it('a connection pool connects to the first host that answers, and names the error of each host when none does', async () => {
  const several = (hosts: string) => {
    const url = new URL(db.url);
    return db.url.replace(url.host, hosts.replace('REAL', url.host));
  };
  const { durable } = connections({ url: several('127.0.0.1:1,REAL') });
  expect(await durable.run(async (sql) => sql`select 1 as one`)).toMatchObject([{ one: 1 }]);
  const none = connections({ url: several('127.0.0.1:1,127.0.0.1:2') });
  await expect(none.durable.run(async (sql) => sql`select 1`)).rejects.toMatchObject({
    code: 'ECONNREFUSED',
    message: expect.stringMatching(/127\.0\.0\.1:1: .*ECONNREFUSED.*127\.0\.0\.1:2: .*ECONNREFUSED/),
  });
});

it('keeps no result in memory after its statement has ended, however long the connection stays open', async () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const { durable } = connections({ connections: 1 });
  const read = async () => new WeakRef(await durable.run((sql) => sql`select 1 as one`));
  const inTransaction = async () => new WeakRef(await durable.transaction((sql) => sql`select 2 as two`));
  const results = [await read(), await inTransaction()];
  await read(); // the driver keeps the last result
  const kept = () => {
    collectGarbage();
    return results.filter((result) => result.deref() !== undefined).length;
  };
  await expect.poll(kept, { timeout: 30_000 }).toBe(0);
});
