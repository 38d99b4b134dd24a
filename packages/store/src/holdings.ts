import { MAX_LEASE_ITEMS } from '@macbatch/core';
import type { Connections } from './connections.ts';
import { type Statement, statement } from './statement.ts';
import { type HoldingRow, heldBy } from './statements/holdings.ts';

/** As many leases as one heartbeat can renew. */
const MOST_HELD_TASKS = 10_000;
/** What a worker whose leases are sized for it may hold and still get more: the last lease, and the next. */
const MOST_HELD_ITEMS = 2 * MAX_LEASE_ITEMS;
/** Workers that one process remembers. */
const REMEMBERED = 10_000;

/**
 * How much more a worker may take, so that none hoards. What it holds is counted when it is first seen, and then
 * only when all that it was given since could be too much.
 */
export class Holdings {
  readonly #connections: Connections;
  readonly #heldBy: Statement<{ worker: string }, HoldingRow>;
  /** Never less than what the worker holds from this process. */
  readonly #atMost = new Map<string, HoldingRow>();

  constructor(connections: Connections) {
    this.#connections = connections;
    this.#heldBy = statement(heldBy);
  }

  /** Tasks that the worker may take. */
  async room(worker: string, sized: boolean): Promise<number> {
    const known = this.#atMost.get(worker);
    if (known !== undefined && roomBeside(known, sized) > 0) return roomBeside(known, sized);
    const [counted] = await this.#heldBy.run(this.#connections.relaxed, { worker });
    if (counted === undefined) throw new Error('the count answered nothing');
    if (this.#atMost.size > REMEMBERED) this.#atMost.clear();
    this.#atMost.set(worker, counted);
    return roomBeside(counted, sized);
  }

  granted(worker: string, tasks: readonly { readonly items: readonly unknown[] }[]): void {
    const before = this.#atMost.get(worker) ?? { tasks: 0, items: 0 };
    const items = tasks.reduce((sum, task) => sum + task.items.length, before.items);
    this.#atMost.set(worker, { tasks: before.tasks + tasks.length, items });
  }
}

/** Two tasks at least, however many items they have. */
function roomBeside({ tasks, items }: HoldingRow, sized: boolean): number {
  if (sized && tasks >= 2 && items >= MOST_HELD_ITEMS) return 0;
  return Math.max(0, MOST_HELD_TASKS - tasks);
}
