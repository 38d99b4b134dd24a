import type postgres from 'postgres';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { retryOnConflict } from '../database/retry-on-conflict.ts';
import type { StoreOptions } from '../store.ts';
import { type FreshStore, freshStore } from './fresh-store.ts';

export type SharedStore = Pick<FreshStore, 'store' | 'sql' | 'url'>;

/** Opens one store for the tests of a file and empties it before each test: cloning a database takes longer. */
export function sharedStore(options: Omit<StoreOptions, 'url'> = {}): SharedStore {
  let fresh: FreshStore | undefined;
  const opened = (): FreshStore => {
    if (fresh === undefined) throw new Error('The store opens only when the tests begin.');
    return fresh;
  };
  beforeAll(async () => {
    fresh = await freshStore(options);
  });
  beforeEach(async () => {
    await retryOnConflict(() => emptyTables(opened().sql));
  });
  afterAll(() => fresh?.[Symbol.asyncDispose]());
  return {
    get store() {
      return opened().store;
    },
    get sql() {
      return opened().sql;
    },
    get url() {
      return opened().url;
    },
  };
}

/**
 * Empties all tables, except that of models, whose ids the store caches. A statement that an earlier test has left may
 * deadlock with it. This session looks for a deadlock first, so that it is the one that Postgres ends, and not that of
 * the program under test.
 */
function emptyTables(sql: postgres.Sql): Promise<unknown> {
  return sql.begin(async (tx) => {
    await tx`set local deadlock_timeout = '10ms'`;
    await tx`truncate jobs, items, tasks, leases, copies, results, job_models, job_tallies, pruned_tallies, minute_counts, workers, events, ledger, boots, keys, join_tokens, sessions, files, file_chunks, batches, batch_jobs restart identity`;
  });
}
