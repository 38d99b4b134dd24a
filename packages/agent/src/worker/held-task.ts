import type { LeasedTask, Outcome, ReportedError } from '@macbatch/contract';
import type { Suspicion } from './quarantine.ts';
import type { Reportable } from './reportable.ts';

export type LeasedItem = LeasedTask['items'][number];

/** An item that was in flight when its runtime crashed, and is to run alone. */
export interface Suspect {
  readonly item: LeasedItem;
  readonly suspicion: Suspicion;
}

/** Items of one task that fail here before the rest of it is left to another worker. */
const FAILED_ITEMS = 3;

/** A task this worker has leased: what is left to start, what runs, and what came of it. */
export class HeldTask implements Reportable {
  readonly lease: LeasedTask;
  readonly outcomes: Outcome[] = [];
  acknowledged = 0;
  /** Until when, by this machine's clock, the lease is surely still held. */
  trustedUntil: number;
  /** That moment has passed: whether the lease still holds is being asked. */
  doubted = false;
  /** An item failed here in a way that may pass elsewhere. */
  error: ReportedError | null = null;
  /** The rest is to be handed back unfinished. */
  handBack = false;
  /** The lease is held no more: the control plane says so, or it was handed back while items still ran. */
  lost = false;
  #queue: LeasedItem[];
  #suspects: Suspect[] = [];
  #startsNoMore = false;
  #failedItems = 0;
  readonly #running = new Map<AbortController, LeasedItem>();
  /** Items that others have reported, from copies. */
  readonly #settled = new Set<string>();
  /** Items that a runtime has crashed under and that have not ended since. */
  readonly #suspected = new Set<string>();

  constructor(lease: LeasedTask, trustedUntil: number) {
    this.lease = lease;
    this.trustedUntil = trustedUntil;
    this.#queue = [...lease.items];
  }

  /** Items that are this worker's to bring: all that nobody else has reported. */
  get itemCount(): number {
    return this.lease.items.length - this.#settled.size;
  }

  get copy(): boolean {
    return this.lease.copy;
  }

  /** Items that run alone, or are going to. */
  get suspected(): ReadonlySet<string> {
    return this.#suspected;
  }

  /** Something of it is still to be started: beside others, or alone. */
  get startable(): boolean {
    return this.#queue.length > 0 || this.#suspects.length > 0;
  }

  /** Something of it can be started beside others. */
  get hasUnsuspected(): boolean {
    return this.#queue.length > 0;
  }

  get suspects(): readonly Suspect[] {
    return this.#suspects;
  }

  get ended(): boolean {
    return !this.startable && this.#running.size === 0;
  }

  /** Takes the next item to run beside others, with the controller that can abort it. */
  start(): { readonly item: LeasedItem; readonly abort: AbortController } | null {
    const item = this.#queue.shift();
    if (item === undefined) return null;
    return { item, abort: this.#abortable(item) };
  }

  /** Takes one of the suspects, to run it alone. */
  startSuspect(suspect: Suspect): AbortController {
    this.#suspects = this.#suspects.filter((other) => other !== suspect);
    return this.#abortable(suspect.item);
  }

  /** An item that ran is to run again, alone. False where nothing of the task is started any more. */
  suspect(suspect: Suspect): boolean {
    this.#suspected.add(suspect.item.item_id);
    if (!this.#startsNoMore) this.#suspects.push(suspect);
    return !this.#startsNoMore;
  }

  stopped(abort: AbortController): void {
    this.#running.delete(abort);
  }

  /** Whether somebody else has reported the item: what came of it here is of no use. */
  isSettled(itemId: string): boolean {
    return this.#settled.has(itemId);
  }

  /** Others have reported these items: they are not run, and what runs of them stops. */
  settle(itemIds: readonly string[]): void {
    const own = new Set(this.outcomes.map(({ item_id }) => item_id));
    const leased = new Set(this.lease.items.map(({ item_id }) => item_id));
    for (const itemId of itemIds) if (leased.has(itemId) && !own.has(itemId)) this.#settled.add(itemId);
    this.#queue = this.#queue.filter(({ item_id }) => !this.#settled.has(item_id));
    this.#suspects = this.#suspects.filter(({ item }) => !this.#settled.has(item.item_id));
    for (const [abort, { item_id }] of this.#running)
      if (this.#settled.has(item_id)) abort.abort(new Error('somebody else has reported it'));
  }

  /** What came of an item here. */
  brought(outcome: Outcome): void {
    this.#suspected.delete(outcome.item_id);
    this.outcomes.push(outcome);
  }

  failed(error: ReportedError): void {
    this.error ??= error;
    this.#failedItems += 1;
    if (this.#failedItems >= FAILED_ITEMS) this.startNoMore();
  }

  /** Leaves what has not been started. */
  startNoMore(): void {
    this.#startsNoMore = true;
    this.#queue = [];
    this.#suspects = [];
  }

  /** Stops what runs. */
  abortRunning(): void {
    for (const abort of this.#running.keys()) abort.abort(new Error('the work is no longer wanted'));
  }

  #abortable(item: LeasedItem): AbortController {
    const abort = new AbortController();
    this.#running.set(abort, item);
    return abort;
  }
}
