import type { ConnectionPools } from '@macbatch/connection';
import { type Statement, statement } from '../database/statement.ts';
import { type HoldingRow, heldBy } from './holding-statements.ts';

/** As many leases as one heartbeat can renew. */
const MOST_TASKS = 10_000;
/** Workers that one process remembers. */
const REMEMBERED = 10_000;

/**
 * What workers hold, so that none hoards. It is counted when a worker is first seen, and then only when all that it
 * was given since could be too much.
 */
export class Holdings {
  readonly #connections: ConnectionPools;
  readonly #heldBy: Statement<{ worker: string }, HoldingRow>;
  /** Never less than what the worker holds from this process. */
  readonly #atMost = new Map<string, HoldingRow>();
  readonly #full = new Set<string>();

  constructor(connections: ConnectionPools) {
    this.#connections = connections;
    this.#heldBy = statement(heldBy);
  }

  /** Tasks that the worker may take beside what it holds. */
  async room(worker: string): Promise<number> {
    const { tasks } = await this.#held(worker, (held) => held.tasks < MOST_TASKS);
    return Math.max(0, MOST_TASKS - tasks);
  }

  /** Whether the worker holds so many items that it is to finish some first; two tasks it may always hold. */
  async hasPlenty(worker: string, mostItems: number): Promise<boolean> {
    const isPlenty = ({ tasks, items }: HoldingRow) => tasks >= 2 && items >= mostItems;
    const plenty = isPlenty(await this.#held(worker, (held) => !isPlenty(held)));
    if (plenty) this.#full.add(worker);
    return plenty;
  }

  granted(worker: string, tasks: readonly { readonly items: readonly unknown[] }[]): void {
    const before = this.#atMost.get(worker) ?? { tasks: 0, items: 0 };
    const items = tasks.reduce((sum, task) => sum + task.items.length, before.items);
    this.#atMost.set(worker, { tasks: before.tasks + tasks.length, items });
  }

  /** The worker has reported: whether it was refused for what it held, and may be waiting for room. */
  freed(worker: string): boolean {
    return this.#full.delete(worker);
  }

  /** What is known, where that is good enough; else it is counted. */
  async #held(worker: string, isEnough: (held: HoldingRow) => boolean): Promise<HoldingRow> {
    const known = this.#atMost.get(worker);
    if (known !== undefined && isEnough(known)) return known;
    const [counted] = await this.#heldBy.run(this.#connections.relaxed, { worker });
    if (counted === undefined) throw new Error('the count answered nothing');
    if (this.#atMost.size > REMEMBERED) this.#atMost.clear();
    this.#atMost.set(worker, counted);
    return counted;
  }
}
