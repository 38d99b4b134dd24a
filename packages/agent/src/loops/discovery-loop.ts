import type { AgentOptions } from '../agent/agent-options.ts';
import type { WorkMeters } from '../rates/work-meters.ts';
import type { Runtime } from '../runtimes/runtime.ts';
import { PAUSES } from '../worker/pauses.ts';
import { sleep } from './backoff.ts';
import { Signal } from './signal.ts';
import type { WorkerMachine } from './worker-machine.ts';

/** Longest wait for the first look, in milliseconds. */
const FIRST_LOOK_MS = 1000;

export interface DiscoveryLoopDeps {
  readonly options: AgentOptions;
  readonly machine: WorkerMachine;
  readonly meters: WorkMeters;
}

/** Looks what the discovered model servers offer: rarely while nothing happens, and soon after items have failed. */
export class DiscoveryLoop {
  readonly #deps: DiscoveryLoopDeps;
  readonly #failed = new Signal();
  readonly #looked = Promise.withResolvers<void>();

  constructor(deps: DiscoveryLoopDeps) {
    this.#deps = deps;
  }

  /** Waits for the first look, but not long: a server may hang. */
  async firstLook(draining: AbortSignal): Promise<void> {
    const waited = new AbortController();
    const ended = AbortSignal.any([draining, waited.signal]);
    await Promise.race([this.#looked.promise, sleep(FIRST_LOOK_MS, ended).catch(() => undefined)]);
    waited.abort();
  }

  /** Runs until `draining` aborts. */
  async run(draining: AbortSignal): Promise<void> {
    const { runtimes, pauses = PAUSES } = this.#deps.options;
    const lookers = runtimes.flatMap((runtime, index) =>
      runtime.look === undefined ? [] : [{ runtime, index }],
    );
    if (lookers.length === 0) {
      this.#looked.resolve();
      return;
    }
    for (const { runtime } of lookers) runtime.onTrouble?.(() => this.#failed.notify());
    // A server that hangs must not hold up the end.
    const stopped = new Promise<boolean[]>((resolve) =>
      draining.addEventListener('abort', () => resolve([]), { once: true }),
    );
    while (!draining.aborted) {
      const looks = lookers.map(({ runtime, index }) => this.#look(runtime, index, pauses.lookSoonMs));
      const unsettled = await Promise.race([Promise.all(looks), stopped]);
      this.#looked.resolve();
      if (draining.aborted) return;
      await this.#failed.wait(draining, unsettled.includes(true) ? pauses.lookSoonMs : pauses.lookMs);
      // Several items may fail together, and a server needs a moment to end.
      await sleep(pauses.lookAfterFailureMs, draining).catch(() => undefined);
    }
  }

  /** Returns whether the server is unsettled. */
  async #look(runtime: Runtime, index: number, goneAfterMs: number): Promise<boolean> {
    const { machine, meters } = this.#deps;
    const look = await runtime.look?.(goneAfterMs);
    if (look === undefined) return false;
    meters.found(runtime, look.loaded);
    machine.dispatch({ kind: 'offers_found', runtime: index, name: look.name, offers: look.offers });
    return look.isUnsettled;
  }
}
