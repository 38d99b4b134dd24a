import { openPostgres } from '@macbatch/postgres';
import { migrate } from '@macbatch/store';
import postgres from 'postgres';
import type { FastTime } from './fast-time.ts';

/** An embedded Postgres whose databases have fast clocks. */
export interface ReplayServer extends AsyncDisposable {
  readonly version: string;
  /** Creates a database with macbatch's schema, in which `now()` is the fast clock. */
  database(time: FastTime): Promise<{ readonly url: string } & AsyncDisposable>;
}

/** Starts an embedded Postgres for replays. */
export async function openReplayServer(): Promise<ReplayServer> {
  const server = await openPostgres({ throwaway: true });
  const admin = postgres(server.url, { max: 1, onnotice: () => undefined });
  const at = (name: string) => Object.assign(new URL(server.url), { pathname: `/${name}` });
  const [facts] = await admin<{ version: string }[]>`select current_setting('server_version') as version`;
  let databases = 0;
  return {
    version: facts?.version ?? 'unknown',
    async database({ factor, epochMs }) {
      databases += 1;
      const name = `replay_${databases}`;
      await admin`create database ${admin(name)}`;
      const url = at(name);
      // The default of 5 s would be fast seconds.
      url.searchParams.set('connect_timeout', String(10 * factor));
      await hastenNow(at(name).href, name, { factor, epochMs });
      await migrate(url.href);
      return {
        url: url.href,
        async [Symbol.asyncDispose]() {
          await admin`drop database ${admin(name)} with (force)`;
        },
      };
    },
    async [Symbol.asyncDispose]() {
      await admin.end({ timeout: 5 });
      await server.close();
    },
  };
}

/**
 * Defines a fast `now()` in a schema that Postgres searches before its own, so that statements and column defaults use
 * it. Like the real `now()`, it is constant within a transaction.
 */
async function hastenNow(url: string, database: string, { factor, epochMs }: FastTime): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  const epoch = `to_timestamp(${epochMs / 1000})`;
  await sql.unsafe(`
    create schema replay;
    create function replay.now() returns timestamptz language sql stable
      return ${epoch} + (pg_catalog.now() - ${epoch}) * ${factor}::float8;
    alter database ${database} set search_path = public, replay, pg_catalog`);
  await sql.end();
}
