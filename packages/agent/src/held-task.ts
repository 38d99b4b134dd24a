import type { LeasedTask, Outcome, ReportedError } from '@macbatch/contract';
import type { Reportable } from './reportable.ts';

export type LeasedItem = LeasedTask['items'][number];

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
  /** The control plane says that the lease is gone. */
  lost = false;
  #queue: LeasedItem[];
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

  get startable(): boolean {
    return this.#queue.length > 0;
  }

  get ended(): boolean {
    return this.#queue.length === 0 && this.#running.size === 0;
  }

  /** Takes the next item to run, with the controller that can abort it. */
  start(): { readonly item: LeasedItem; readonly abort: AbortController } | null {
    const item = this.#queue.shift();
    if (item === undefined) return null;
    const abort = new AbortController();
    this.#running.add(abort);
    return { item, abort };
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
    this.#queue = [];
  }

  /** Stops what runs. */
  abortRunning(): void {
    for (const abort of this.#running) abort.abort(new Error('the work is no longer wanted'));
  }
}
