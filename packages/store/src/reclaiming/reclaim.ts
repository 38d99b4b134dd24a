import type { ConnectionPools } from '@macbatch/connection';
import { expireCopies } from '../copies/copy-statements.ts';
import { type Statement, statement } from '../database/statement.ts';
import { onceMore } from '../database/transient.ts';
import { databaseClock, type ExpiredRow, expire } from './expire.ts';
import { HostSleep } from './host-sleep.ts';

/** Most leases that one statement takes back: a bound on how long its row locks are held. */
const SWEEP_LIMIT = 1000;

/** No control plane grants a lease shorter than this, unless it was made to for a test. */
const SHORTEST_LEASE_MS = 1000;

export interface Reclaimed {
  readonly reclaimed: number;
  readonly failed: number;
  readonly jobIds: readonly string[];
}

/**
 * Takes back tasks whose lease has passed. Runs inside requests, never on a timer. A sweep also says when
 * the next lease ends; until then, or until a lease granted since could end, another can find nothing and
 * is left out.
 */
export class Reclaimer {
  readonly #connections: ConnectionPools;
  readonly #expire: Statement<{ limit: number }, ExpiredRow>;
  readonly #expireCopies: Statement<{ limit: number }, { lost: number }>;
  readonly #clock: Statement<Record<string, never>, { ms: number }>;
  readonly #monotonicMs: () => number;
  readonly #shortestLeaseMs: number;
  readonly #graceMs: number;
  readonly #hostSleep: HostSleep;
  #quietUntilMs = Number.NEGATIVE_INFINITY;

  constructor(connections: ConnectionPools, monotonicMs: () => number, leaseMs: number) {
    this.#connections = connections;
    this.#expire = statement(expire);
    this.#expireCopies = statement(expireCopies);
    this.#clock = statement(databaseClock);
    this.#monotonicMs = monotonicMs;
    this.#shortestLeaseMs = Math.min(SHORTEST_LEASE_MS, leaseMs);
    this.#graceMs = leaseMs;
    // Three renewals go into a lease: who slept for less has missed none that matters.
    this.#hostSleep = new HostSleep(leaseMs / 3);
  }

  /** Milliseconds until a lease can expire at the earliest. */
  get quietForMs(): number {
    return Math.max(0, this.#quietUntilMs - this.#monotonicMs());
  }

  /**
   * Sweeps unless it is known that nothing can have expired. After this host slept every holder first gets
   * the time to renew.
   */
  async ifDue(): Promise<Reclaimed> {
    const nothing = { reclaimed: 0, failed: 0, jobIds: [] };
    if (this.quietForMs > 0) return nothing;
    const [clock] = await this.#clock.run(this.#connections.durable, {});
    const awakeMs = this.#monotonicMs();
    if (this.#hostSleep.look(clock?.ms ?? 0, awakeMs)) {
      this.#quietUntilMs = awakeMs + this.#graceMs;
      return nothing;
    }
    return this.now();
  }

  async now(): Promise<Reclaimed> {
    const jobIds = new Set<string>();
    let reclaimed = 0;
    let failed = 0;
    for (;;) {
      const startedMs = this.#monotonicMs();
      const [row] = await onceMore(() => this.#expire.run(this.#connections.durable, { limit: SWEEP_LIMIT }));
      if (row === undefined) throw new Error('the sweep answered nothing');
      if (row.copies_due) await this.#expireCopies.run(this.#connections.durable, { limit: SWEEP_LIMIT });
      reclaimed += row.reclaimed;
      failed += row.failed;
      for (const jobId of row.job_ids ?? []) jobIds.add(jobId);
      if (row.reclaimed + row.failed < SWEEP_LIMIT) {
        this.#quietUntilMs =
          startedMs + Math.min(row.next_expiry_ms ?? Number.POSITIVE_INFINITY, this.#shortestLeaseMs);
        return { reclaimed, failed, jobIds: [...jobIds] };
      }
    }
  }
}
