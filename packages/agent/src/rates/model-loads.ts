import type { Offer, Runtime } from '../runtimes/runtime.ts';

/** How far the usual time of an item is moved by each that ends. */
const SHARE_OF_NEWEST = 0.2;

interface Times {
  /** How long the last item took for which the model had to be loaded, in milliseconds. */
  firstMs: number | null;
  /** How long the others take. */
  usualMs: number | null;
}

/** The run of an item, from its start to its end. */
export interface TimedRun {
  /** This model takes the place of another one. */
  readonly swapped: boolean;
  /** `counts` when it was really run to its end, with an output. */
  ended(counts: boolean): void;
}

/**
 * Which model each runtime has loaded, which is the last one that it ran, and what loading one takes: by how much
 * the first item after a swap took longer than the others.
 */
export class ModelLoads {
  readonly #now: () => number;
  readonly #loaded = new Map<Runtime, string>();
  /** Runtimes that are loading a model, for all we know: what starts meanwhile waits for it too. */
  readonly #loading = new Set<Runtime>();
  readonly #times = new Map<Runtime, Map<string, Times>>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** An item of this model starts on this runtime. */
  started(runtime: Runtime, model: string): TimedRun {
    const before = this.#loaded.get(runtime);
    const startedAt = this.#now();
    const loads = before !== model;
    const waits = !loads && this.#loading.has(runtime);
    this.#loaded.set(runtime, model);
    if (loads) this.#loading.add(runtime);
    return {
      swapped: loads && before !== undefined,
      ended: (counts) => {
        const tookMs = this.#now() - startedAt;
        if (loads) this.#loading.delete(runtime);
        if (!counts || waits || tookMs < 0) return;
        const times = this.#timesOf(runtime, model);
        if (loads) times.firstMs = tookMs;
        else times.usualMs = (times.usualMs ?? tookMs) * (1 - SHARE_OF_NEWEST) + tookMs * SHARE_OF_NEWEST;
      },
    };
  }

  /** The runtime's process is gone, and its model with it. */
  forget(runtime: Runtime): void {
    this.#loaded.delete(runtime);
  }

  isLoaded(runtime: Runtime | undefined, { model }: Offer): boolean {
    return runtime !== undefined && this.#loaded.get(runtime) === model;
  }

  /** Seconds that loading the model takes; null until a swap to it and an item after it have been seen. */
  loadSeconds(runtime: Runtime | undefined, { model }: Offer): number | null {
    const times = runtime === undefined ? undefined : this.#times.get(runtime)?.get(model);
    if (times === undefined || times.firstMs === null || times.usualMs === null) return null;
    return Math.max(0, times.firstMs - times.usualMs) / 1000;
  }

  #timesOf(runtime: Runtime, model: string): Times {
    const ofRuntime = this.#times.get(runtime) ?? new Map<string, Times>();
    this.#times.set(runtime, ofRuntime);
    const times = ofRuntime.get(model) ?? { firstMs: null, usualMs: null };
    ofRuntime.set(model, times);
    return times;
  }
}
