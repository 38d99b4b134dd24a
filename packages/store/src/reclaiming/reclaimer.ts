import type { ConnectionPools } from '@macbatch/connection';
import { expireCopies } from '../copies/expire-copies.ts';
import { readDatabaseClock } from '../database/read-database-clock.ts';
import { retryOnConflict } from '../database/retry-on-conflict.ts';
import { expireLeases } from './expire-leases.ts';
import { HostSleep } from './host-sleep.ts';

/** Most leases that one statement takes back. Limits how long it holds row locks. */
const BATCH_LEASES = 1000;

/** No control plane grants a shorter lease, except in tests. */
const SHORTEST_LEASE_MS = 1000;

export interface Reclaimed {
  readonly reclaimed: number;
  readonly failed: number;
  readonly jobIds: readonly string[];
}

/**
 * Takes back tasks whose lease has passed. Runs inside requests, never on a timer. Each run also reads when the next
 * lease ends, and skips the runs before that moment, or before a lease granted since could end.
 */
export class Reclaimer {
  readonly #connections: ConnectionPools;
  readonly #monotonicMs: () => number;
  readonly #shortestLeaseMs: number;
  readonly #graceMs: number;
  readonly #hostSleep: HostSleep;
  #nothingDueUntilMs = Number.NEGATIVE_INFINITY;

  constructor(connections: ConnectionPools, monotonicMs: () => number, leaseMs: number) {
    this.#connections = connections;
    this.#monotonicMs = monotonicMs;
    this.#shortestLeaseMs = Math.min(SHORTEST_LEASE_MS, leaseMs);
    this.#graceMs = leaseMs;
    // Workers renew three times per lease, so no lease is lost during a shorter sleep.
    this.#hostSleep = new HostSleep(leaseMs / 3);
  }

  /** Milliseconds until a lease can expire at the earliest. */
  get untilNextExpiryMs(): number {
    return Math.max(0, this.#nothingDueUntilMs - this.#monotonicMs());
  }

  /** Reclaims if a lease can have expired. After this host slept, all holders first get time to renew. */
  async reclaimIfDue(): Promise<Reclaimed> {
    const nothing = { reclaimed: 0, failed: 0, jobIds: [] };
    if (this.untilNextExpiryMs > 0) return nothing;
    const now = await readDatabaseClock(this.#connections);
    const awakeMs = this.#monotonicMs();
    if (this.#hostSleep.hasSlept(now.getTime(), awakeMs)) {
      this.#nothingDueUntilMs = awakeMs + this.#graceMs;
      return nothing;
    }
    return this.reclaim();
  }

  /** Reclaims every lease that has passed. */
  async reclaim(): Promise<Reclaimed> {
    const { durable } = this.#connections;
    const jobIds = new Set<string>();
    let reclaimed = 0;
    let failed = 0;
    for (;;) {
      const startedMs = this.#monotonicMs();
      const row = await retryOnConflict(() => expireLeases.one(durable, { limit: BATCH_LEASES }));
      if (row.copies_due) await expireCopies.run(durable, { limit: BATCH_LEASES });
      reclaimed += row.reclaimed;
      failed += row.failed;
      for (const jobId of row.job_ids ?? []) jobIds.add(jobId);
      if (row.reclaimed + row.failed < BATCH_LEASES) {
        this.#nothingDueUntilMs =
          startedMs + Math.min(row.next_expiry_ms ?? Number.POSITIVE_INFINITY, this.#shortestLeaseMs);
        return { reclaimed, failed, jobIds: [...jobIds] };
      }
    }
  }
}
