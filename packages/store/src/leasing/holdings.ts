import type { ConnectionPools } from '@macbatch/connection';
import { MAX_TASKS_HELD } from '@macbatch/core';
import { sql } from 'drizzle-orm';
import { tasks } from '../database/schema.ts';
import { statement } from '../database/statement.ts';

/** Workers that one process remembers. */
const MAX_WORKERS_REMEMBERED = 10_000;

interface HeldRow {
  readonly tasks: number;
  /** Items of these tasks without an outcome. */
  readonly items: number;
}

/** Counts what a worker holds, over the partial index of leased tasks. */
const countHeld = statement<{ worker: string }, HeldRow>(
  (arg) => sql`
  select count(*)::int as tasks, coalesce(sum(${tasks.itemCount} - ${tasks.outcomeCount}), 0)::int as items
  from ${tasks} where ${tasks.status} = 'leased' and ${tasks.assignedWorker} = ${arg.worker('text')}`,
);

/**
 * How much workers hold, so that none hoards. The database counts for a worker that is new here. After that this
 * process adds what it grants, and the database counts again only when the sum reaches a limit.
 */
export class Holdings {
  readonly #connections: ConnectionPools;
  /** Upper bounds: at least what the worker holds from this process. */
  readonly #atMost = new Map<string, HeldRow>();
  readonly #refused = new Set<string>();

  constructor(connections: ConnectionPools) {
    this.#connections = connections;
  }

  /** The number of tasks that the worker may still take. */
  async room(worker: string): Promise<number> {
    const { tasks: held } = await this.#held(worker, (known) => known.tasks < MAX_TASKS_HELD);
    return Math.max(0, MAX_TASKS_HELD - held);
  }

  /** Whether the worker holds `maxItems` or more. Two tasks are always allowed, even if they are larger. */
  async isFull(worker: string, maxItems: number): Promise<boolean> {
    const reaches = (held: HeldRow) => held.tasks >= 2 && held.items >= maxItems;
    const full = reaches(await this.#held(worker, (known) => !reaches(known)));
    if (full) this.#refused.add(worker);
    return full;
  }

  /** Adds granted tasks. */
  add(worker: string, granted: readonly { readonly items: readonly unknown[] }[]): void {
    const before = this.#atMost.get(worker) ?? { tasks: 0, items: 0 };
    const items = granted.reduce((sum, task) => sum + task.items.length, before.items);
    this.#atMost.set(worker, { tasks: before.tasks + granted.length, items });
  }

  /** The worker has reported. Returns whether it was full before, and may be waiting for room. */
  takeRefused(worker: string): boolean {
    return this.#refused.delete(worker);
  }

  /** Returns the upper bound if it is good enough, and counts otherwise. */
  async #held(worker: string, isEnough: (known: HeldRow) => boolean): Promise<HeldRow> {
    const known = this.#atMost.get(worker);
    if (known !== undefined && isEnough(known)) return known;
    const counted = await countHeld.one(this.#connections.relaxed, { worker });
    if (this.#atMost.size > MAX_WORKERS_REMEMBERED) this.#atMost.clear();
    this.#atMost.set(worker, counted);
    return counted;
  }
}
