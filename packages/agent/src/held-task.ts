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
  readonly #running = new Set<AbortController>();

  constructor(lease: LeasedTask, trustedUntil: number) {
    this.lease = lease;
    this.trustedUntil = trustedUntil;
    this.#queue = [...lease.items];
  }

  get itemCount(): number {
    return this.lease.items.length;
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
    return { item, abort: this.#abortable() };
  }

  /** Takes one of the suspects, to run it alone. */
  startSuspect(suspect: Suspect): AbortController {
    this.#suspects = this.#suspects.filter((other) => other !== suspect);
    return this.#abortable();
  }

  /** An item that ran is to run again, alone. False where nothing of the task is started any more. */
  suspect(suspect: Suspect): boolean {
    if (!this.#startsNoMore) this.#suspects.push(suspect);
    return !this.#startsNoMore;
  }

  stopped(abort: AbortController): void {
    this.#running.delete(abort);
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
    for (const abort of this.#running) abort.abort(new Error('the work is no longer wanted'));
  }

  #abortable(): AbortController {
    const abort = new AbortController();
    this.#running.add(abort);
    return abort;
  }
}
