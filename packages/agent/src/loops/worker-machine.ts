import type { Effect } from '../worker/effect.ts';
import type { Happening } from '../worker/event.ts';
import { step } from '../worker/step.ts';
import { initialState, type WorkerSettings, type WorkerState } from '../worker/worker-state.ts';

/** Holds the worker's state: feeds events to `step` and carries out the effects in order. */
export class WorkerMachine {
  readonly #perform: (effect: Effect) => void;
  readonly #now: () => number;
  #state: WorkerState;
  #waiting: Happening[] = [];
  #stepping: boolean = false;

  constructor(settings: WorkerSettings, now: () => number, perform: (effect: Effect) => void) {
    this.#state = initialState(settings);
    this.#now = now;
    this.#perform = perform;
  }

  get state(): WorkerState {
    return this.#state;
  }

  /** Handles an event. An event that arrives during a step waits until all effects of that step have started. */
  dispatch(happening: Happening): void {
    this.#waiting.push(happening);
    if (this.#stepping) return;
    this.#stepping = true;
    try {
      for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
        const { state, effects } = step(this.#state, { ...next, now: this.#now() });
        this.#state = state;
        for (const effect of effects) this.#perform(effect);
      }
    } finally {
      this.#stepping = false;
    }
  }
}
