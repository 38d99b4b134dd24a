import type { ConnectionPools } from '@macbatch/connection';
import { type Statement, statement } from '../database/statement.ts';
import type { Workers } from '../workers/workers.ts';
import type { GivenRow } from './claim.ts';
import type { HeldLeases, LeaseName } from './held-leases.ts';
import { type GrantedArguments, grantedTasks } from './holding-statements.ts';
import type { LeasedTask } from './lease.ts';
import { leasedTasks } from './leased-tasks.ts';

/** Most tasks of one answer. */
const MOST_TASKS = 1000;

/**
 * Answers once more what a worker was granted and has not heard of. Nothing is granted and nothing taken back, so
 * it does not matter when such a question arrives, or how often: at the worst a worker hears twice of a lease
 * that it holds.
 */
export class UnheardLeases {
  readonly #connections: ConnectionPools;
  readonly #held: HeldLeases;
  readonly #workers: Workers;
  readonly #granted: Statement<GrantedArguments, GivenRow>;

  constructor(connections: ConnectionPools, held: HeldLeases, workers: Workers) {
    this.#connections = connections;
    this.#held = held;
    this.#workers = workers;
    this.#granted = statement(grantedTasks);
  }

  /** The leases of this boot beside those that it names, each renewed. */
  async beside(
    names: readonly LeaseName[],
    holder: { readonly worker: string; readonly boot: string; readonly leaseMs: number },
  ): Promise<LeasedTask[]> {
    const { worker, boot, leaseMs } = holder;
    const named = new Set(names.map(nameOf));
    const all = await this.#workers.heldByBoots(worker, [boot]);
    const unheard = all.filter((lease) => !named.has(nameOf(lease))).slice(0, MOST_TASKS);
    if (unheard.length === 0) return [];
    // Not the copies: who holds what they are of ends it all the same.
    const rows = await this.#granted.run(this.#connections.durable, {
      worker,
      taskIds: unheard.map(({ taskId }) => taskId),
      attempts: unheard.map(({ attempt }) => attempt),
    });
    const tasks = leasedTasks(rows);
    const renewals = await this.#held.renew(worker, tasks, leaseMs);
    return tasks.filter((_, no) => renewals[no]?.refusal === null);
  }
}

function nameOf({ taskId, attempt }: LeaseName): string {
  return `${taskId}/${attempt}`;
}
