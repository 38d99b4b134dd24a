import type { ConnectionPools } from '@macbatch/connection';
import {
  type Holder,
  isSameWorkKind,
  SCHEDULING_CACHE_MS,
  SILENT_SECONDS,
  type WorkKind,
} from '@macbatch/core';
import { type HolderRow, readHolders } from './read-holders.ts';

interface Reading {
  readonly rows: Promise<readonly HolderRow[]>;
  readonly atMs: number;
}

/** Caches the holders of work kinds for a second. Calls for the same kinds share one reading. */
export class HolderCache {
  readonly #connections: ConnectionPools;
  readonly #monotonicMs: () => number;
  readonly #readings = new Map<string, Reading>();

  constructor(connections: ConnectionPools, monotonicMs: () => number) {
    this.#connections = connections;
    this.#monotonicMs = monotonicMs;
  }

  /** The holders of tasks of these kinds, as a function that selects those of one kind. */
  async holdersOf(kinds: readonly WorkKind[]): Promise<(kind: WorkKind) => Holder[]> {
    const rows = await this.#read(kinds);
    return (kind) =>
      rows.filter(({ job_type, model }) => isSameWorkKind({ jobType: job_type, model }, kind)).map(toHolder);
  }

  #read(kinds: readonly WorkKind[]): Promise<readonly HolderRow[]> {
    const args = { jobTypes: kinds.map(({ jobType }) => jobType), models: kinds.map(({ model }) => model) };
    const key = JSON.stringify(args);
    const nowMs = this.#monotonicMs();
    for (const [old, { atMs }] of this.#readings)
      if (nowMs - atMs >= SCHEDULING_CACHE_MS) this.#readings.delete(old);
    const cached = this.#readings.get(key);
    if (cached !== undefined) return cached.rows;
    const rows = readHolders.run(this.#connections.relaxed, args);
    this.#readings.set(key, { rows, atMs: nowMs });
    // Callers that share this reading get its error. The next call reads again.
    rows.catch(() => this.#readings.delete(key));
    return rows;
  }
}

function toHolder(row: HolderRow): Holder {
  return {
    worker: row.worker,
    itemsPerSecond: row.items_per_second,
    slots: row.slots ?? 1,
    unfinishedItems: row.unfinished_items,
    secondsSinceProgress: row.seconds_since_progress,
    silent: row.silent_seconds !== null && row.silent_seconds > SILENT_SECONDS,
  };
}
