import type { ConnectionPools } from '@macbatch/connection';
import { type CopyWorker, type Holder, planCopies } from '@macbatch/core';
import { type Statement, statement } from '../database/statement.ts';
import type { GivenRow } from '../leasing/claim.ts';
import type { LeaseName } from '../leasing/held-leases.ts';
import type { LeaseCall, LeasedTask } from '../leasing/lease.ts';
import { leasedTasks } from '../leasing/leased-tasks.ts';
import {
  type CopyableRow,
  copyable,
  grantCopies,
  type HolderRow,
  holders,
  markSuspects,
  SILENT_SECONDS,
} from './copy-statements.ts';

/** How long what is known of the holders is good enough to choose by. */
const FRESH_MS = 1000;
/** Holders that are tried for one caller at once: of each everything may have been copied. */
const HOLDERS_TRIED = 4;
/** Most tasks that copies are taken from at once. */
const MOST_TASKS = 100;

interface Kind {
  readonly jobTypes: string[];
  readonly models: string[];
}

type CopyableArguments = { worker: string; holder: string; jobType: string; model: string; tasks: number };
type GrantArguments = { worker: string; boot: string; taskIds: string[]; items: number; leaseMs: number };
type SuspectArguments = { worker: string; taskIds: string[]; attempts: number[]; itemIds: string[] };

/** An item that its holder runs alone. */
export interface SuspectItem extends LeaseName {
  readonly itemId: string;
}

/** Gives workers that have nothing to do copies of what others have not finished. */
export class Copies {
  readonly #connections: ConnectionPools;
  readonly #holders: Statement<Kind & Record<string, string[]>, HolderRow>;
  readonly #copyable: Statement<CopyableArguments, CopyableRow>;
  readonly #grant: Statement<GrantArguments, GivenRow>;
  readonly #suspects: Statement<SuspectArguments, never>;
  readonly #monotonicMs: () => number;
  readonly #known = new Map<
    string,
    { readonly rows: Promise<readonly HolderRow[]>; readonly atMs: number }
  >();

  constructor(connections: ConnectionPools, monotonicMs: () => number) {
    this.#connections = connections;
    this.#holders = statement(holders);
    this.#copyable = statement(copyable);
    this.#grant = statement(grantCopies);
    this.#suspects = statement(markSuspects);
    this.#monotonicMs = monotonicMs;
  }

  /** Copies for a caller that found nothing pending; none where it is busy, or nothing would end sooner. */
  async grant(call: LeaseCall): Promise<LeasedTask[]> {
    const rows = await this.#rowsFor(call.offers);
    const loaded = call.offers.filter((each) => each.loaded === true);
    // Who waits comes to another one each time as well: those that come first may have nothing to copy for long.
    const looks = call.again === true ? Math.floor(this.#monotonicMs() / FRESH_MS) : 0;
    for (const offer of [...loaded, ...call.offers.filter((each) => each.loaded !== true)]) {
      const ofKind = rows.filter(
        ({ job_type, model }) => job_type === offer.job_type && model === offer.model,
      );
      const copier: CopyWorker = {
        worker: call.worker,
        itemsPerSecond: offer.itemsPerSecond ?? null,
        slots: call.slots ?? 1,
      };
      // No model is loaded for a copy, unless the holder may never end.
      const loads = loaded.length > 0 && offer.loaded !== true;
      const plans = planCopies(ofKind.map(holderOf), copier).filter(({ overdue }) => overdue || !loads);
      const others = plans.splice(HOLDERS_TRIED - 1);
      const inTurn = looks % Math.max(1, others.length);
      for (const { holder, items } of [...plans, ...others.slice(inTurn, inTurn + 1)]) {
        const tasks = await this.#copy(call, offer, holder, items);
        if (tasks.length > 0) return tasks;
      }
    }
    return [];
  }

  /** What its holder runs alone is not copied for an hour. */
  async spare(worker: string, suspects: readonly SuspectItem[]): Promise<void> {
    await this.#suspects.run(this.#connections.relaxed, {
      worker,
      taskIds: suspects.map(({ taskId }) => taskId),
      attempts: suspects.map(({ attempt }) => attempt),
      itemIds: suspects.map(({ itemId }) => itemId),
    });
  }

  #copy(
    call: LeaseCall,
    offer: LeaseCall['offers'][number],
    holder: string,
    items: number,
  ): Promise<LeasedTask[]> {
    return this.#connections.relaxed.transaction(async (tx) => {
      const tasks = await this.#copyable.run(tx, {
        worker: call.worker,
        holder,
        jobType: offer.job_type,
        model: offer.model,
        tasks: Math.min(MOST_TASKS, call.limit ?? MOST_TASKS),
      });
      if (tasks.length === 0) return [];
      const rows = await this.#grant.run(tx, {
        worker: call.worker,
        boot: call.boot,
        taskIds: tasks.map(({ id }) => id),
        items,
        leaseMs: call.leaseMs,
      });
      return leasedTasks(rows).map((task) => ({ ...task, copy: true }));
    });
  }

  /** Who asks for the same kinds of work at about the same time shares the look. */
  #rowsFor(offers: LeaseCall['offers']): Promise<readonly HolderRow[]> {
    const kinds = {
      jobTypes: offers.map((offer) => offer.job_type),
      models: offers.map(({ model }) => model),
    };
    const name = JSON.stringify(kinds);
    const now = this.#monotonicMs();
    for (const [old, { atMs }] of this.#known) if (now - atMs >= FRESH_MS) this.#known.delete(old);
    const known = this.#known.get(name);
    if (known !== undefined) return known.rows;
    const rows = this.#holders.run(this.#connections.relaxed, kinds);
    this.#known.set(name, { rows, atMs: now });
    // Who waits for it hears of it; the next one looks anew.
    rows.catch(() => this.#known.delete(name));
    return rows;
  }
}

function holderOf(row: HolderRow): Holder {
  return {
    worker: row.worker,
    itemsPerSecond: row.items_per_second,
    slots: row.slots ?? 1,
    unfinishedItems: row.unfinished_items,
    secondsSinceProgress: row.quiet_seconds,
    silent: row.unheard_seconds !== null && row.unheard_seconds > SILENT_SECONDS,
  };
}
