import { createStore, type Store } from '@macbatch/store';
import type postgres from 'postgres';
import type { Bench } from './row.ts';

/** A new database with macbatch's schema, and a store on it. */
export interface ProductDatabase extends AsyncDisposable {
  readonly url: string;
  /** A client for measurements outside the store. */
  readonly sql: postgres.Sql;
  readonly store: Store;
}

/** Creates a database and opens a store on it. `connections` is the size of the store's connection pool. */
export async function openProduct(bench: Bench, connections?: number): Promise<ProductDatabase> {
  const database = await bench.server.database('product');
  const store = createStore({ url: database.url, ...(connections === undefined ? {} : { connections }) });
  return {
    url: database.url,
    sql: database.sql,
    store,
    async [Symbol.asyncDispose]() {
      await store.close();
      await database[Symbol.asyncDispose]();
    },
  };
}
