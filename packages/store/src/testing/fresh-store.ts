import { createDatabase } from '@macbatch/postgres/testing';
import postgres from 'postgres';
import { uuidv7 } from 'uuidv7';
import { inject } from 'vitest';
import { createStore } from '../create-store.ts';
import type { Store, StoreOptions } from '../store.ts';

export interface FreshStore extends AsyncDisposable {
  readonly store: Store;
  readonly url: string;
  /** A separate client, to read or change rows without the store. */
  readonly sql: postgres.Sql;
}

/** Clones a database from the migrated template. Dropped when disposed. */
export async function freshDatabase(): Promise<{ readonly url: string } & AsyncDisposable> {
  const name = `test_${uuidv7().replaceAll('-', '')}`;
  const database = await createDatabase(inject('postgresUrl'), name, inject('templateDatabase'));
  return { url: database.url, [Symbol.asyncDispose]: () => database.drop() };
}

/** Opens a store over a new database. */
export async function freshStore(options: Omit<StoreOptions, 'url'> = {}): Promise<FreshStore> {
  const database = await freshDatabase();
  const store = createStore({ url: database.url, ...options });
  const sql = postgres(database.url, { max: 4, onnotice: () => undefined });
  return {
    store,
    url: database.url,
    sql,
    async [Symbol.asyncDispose]() {
      await Promise.all([store.close(), sql.end({ timeout: 5 })]);
      await database[Symbol.asyncDispose]();
    },
  };
}
