import { afterAll, beforeAll, beforeEach } from 'vitest';
import type { StoreOptions } from '../store.ts';
import { waitUntilIdle } from './forcing.ts';
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
    // The locks of a truncation and of a statement still running could deadlock.
    await waitUntilIdle(opened().sql);
    // Without models: the store caches their ids.
    await opened()
      .sql`truncate jobs, items, tasks, leases, copies, results, job_models, job_tallies, pruned_tallies, minute_counts, workers, events, ledger, boots, keys, join_tokens, sessions, files, file_chunks, batches, batch_jobs restart identity`;
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
