import { messageOf } from '@macbatch/core';
import type { WorkMeters } from '../rates/work-meters.ts';
import type { Runtime } from '../runtimes/runtime.ts';
import type { Effect } from '../worker/effect.ts';
import type { Happening } from '../worker/event.ts';
import type { ItemEnd } from '../worker/item-end.ts';
import { runItem } from './item-run.ts';
import { reportableEnd } from './reportable-end.ts';

type StartItem = Extract<Effect, { readonly kind: 'start_item' }>;

export interface ItemRunnerDeps {
  readonly runtimes: readonly Runtime[];
  readonly meters: WorkMeters;
  /** A number in [0, 1). */
  readonly random: () => number;
  readonly dispatch: (happening: Happening) => void;
}

/** Runs items on the runtimes and dispatches how each run ended. */
export class ItemRunner {
  readonly #deps: ItemRunnerDeps;
  readonly #aborts = new Map<number, AbortController>();

  constructor(deps: ItemRunnerDeps) {
    this.#deps = deps;
  }

  /** Starts an item. Its end is dispatched as `item_ended`. */
  start(item: StartItem): void {
    const abort = new AbortController();
    this.#aborts.set(item.run, abort);
    void this.#run(item, abort.signal);
  }

  /** Aborts a run. It still ends with an `item_ended`. */
  abort(run: number, reason: string): void {
    this.#aborts.get(run)?.abort(new Error(reason));
  }

  /** Never rejects. */
  async #run(start: StartItem, signal: AbortSignal): Promise<void> {
    const { meters, runtimes, dispatch } = this.#deps;
    const { job_type, model } = start.lease;
    const runtime = start.runtime === null ? undefined : runtimes[start.runtime];
    const timed = meters.started({ job_type, model }, runtime);
    if (timed.swapped) dispatch({ kind: 'model_swapped' });
    const end = await this.#end(start, runtime, signal);
    // A failed item may end immediately, so its duration does not measure the work.
    timed.ended(end.kind === 'outcome' && 'output' in end.outcome);
    if (end.kind === 'crashed' && runtime !== undefined) meters.crashed(runtime);
    this.#aborts.delete(start.run);
    dispatch({ kind: 'item_ended', run: start.run, end: reportableEnd(end) });
  }

  async #end(
    { lease, item, ...start }: StartItem,
    runtime: Runtime | undefined,
    signal: AbortSignal,
  ): Promise<ItemEnd> {
    const { job_type, model, params } = lease;
    if (runtime === undefined || start.runtime === null) {
      const message = `${job_type} with ${model} is not offered now`;
      return { kind: 'not_here', error: { code: 'not_offered', message } };
    }
    let parsed: { params: Record<string, unknown>; payload: unknown };
    try {
      parsed = { params: JSON.parse(params), payload: JSON.parse(item.payload) };
    } catch (error) {
      // The control plane has parsed both. It must be a version with other rules.
      const unreadable = { code: 'invalid_payload', message: `not readable here: ${messageOf(error)}` };
      return { kind: 'outcome', outcome: { item_id: item.item_id, error: unreadable } };
    }
    const request = { job_type, model, ...parsed, payloadText: item.payload, signal };
    return runItem(runtime, item.item_id, request, this.#deps.random);
  }
}
