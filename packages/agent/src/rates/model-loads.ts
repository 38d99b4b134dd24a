import type { Offer, Runtime } from '../runtimes/runtime.ts';

/** Weight of the newest item in the average time of an item. */
const NEWEST_WEIGHT = 0.2;

/** The control plane's limit. A Mac that sleeps while it loads a model measures more. */
const MAX_LOAD_SECONDS = 86_400;

interface Times {
  /** Time of the last item that had to wait for the model to load. */
  firstMs: number | null;
  /** Average time of the other items. */
  usualMs: number | null;
}

/** The timing of one run. */
export interface TimedRun {
  /** The model replaces another one on its runtime. */
  readonly swapped: boolean;
  /** The run has ended. `counts`: it ended with an output. */
  ended(counts: boolean): void;
}

/**
 * Tracks which model each runtime has loaded: the last one that it ran. Measures what loading a model takes: how
 * much longer than the others the first item after a swap took.
 */
export class ModelLoads {
  readonly #now: () => number;
  readonly #loaded = new Map<Runtime, string>();
  readonly #found = new Map<Runtime, ReadonlySet<string>>();
  /** Runtimes whose first item after a swap is running. Items that start during the load also wait for it. */
  readonly #loading = new Set<Runtime>();
  readonly #times = new Map<Runtime, Map<string, Times>>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Starts to time an item of this model. */
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
        else times.usualMs = (times.usualMs ?? tookMs) * (1 - NEWEST_WEIGHT) + tookMs * NEWEST_WEIGHT;
      },
    };
  }

  /** Notes the models that the runtime's server said are in memory. */
  found(runtime: Runtime, models: readonly string[]): void {
    this.#found.set(runtime, new Set(models));
  }

  /** Forgets the runtime's model, because its process has ended. */
  forget(runtime: Runtime): void {
    this.#loaded.delete(runtime);
  }

  /** Whether the runtime has the offer's model loaded. */
  isLoaded(runtime: Runtime | undefined, { model }: Offer): boolean {
    if (runtime === undefined) return false;
    return this.#loaded.get(runtime) === model || this.#found.get(runtime)?.has(model) === true;
  }

  /** Seconds that loading the model takes; null until a swap to it and one more item have been timed. */
  loadSeconds(runtime: Runtime | undefined, { model }: Offer): number | null {
    const times = runtime === undefined ? undefined : this.#times.get(runtime)?.get(model);
    if (times === undefined || times.firstMs === null || times.usualMs === null) return null;
    return Math.min(Math.max(0, times.firstMs - times.usualMs) / 1000, MAX_LOAD_SECONDS);
  }

  #timesOf(runtime: Runtime, model: string): Times {
    const ofRuntime = this.#times.get(runtime) ?? new Map<string, Times>();
    this.#times.set(runtime, ofRuntime);
    const times = ofRuntime.get(model) ?? { firstMs: null, usualMs: null };
    ofRuntime.set(model, times);
    return times;
  }
}
