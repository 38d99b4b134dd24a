import { RunFailure } from '@macbatch/agent';
import { type Share, SharedProcessor } from './shared-processor.ts';
import type { Poison } from './workload.ts';

/** The process of a model restarts this long after a crash. */
const RESTART_SECONDS = 60;

/** The share of its work after which a bad item fails. */
const WORK_UNTIL_FAILURE: Record<Poison, number> = { errors: 0.3, crashes: 0.5 };

export interface MacOptions {
  readonly speed: number;
  readonly slots: number;
  readonly loadSeconds: number;
}

/** An item to run on a Mac. */
export interface MacRun {
  readonly cost: number;
  readonly poison: Poison | null;
  readonly model: string;
  readonly signal: AbortSignal;
}

interface Waiting extends MacRun {
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
  /** Null until the item starts. */
  share: Share | null;
  readonly onAbort: () => void;
}

/**
 * The model server of one simulated Mac, on the clock of this process. Items share its processor. It loads another model
 * when no item runs. An item that crashes it fails all running items and stops it for a while.
 */
export class Mac {
  readonly options: MacOptions;
  readonly #processor: SharedProcessor;
  readonly #running = new Map<Share, Waiting>();
  #waiting: Waiting[] = [];
  #model: string | null = null;
  #loading: string | null = null;
  #pausedUntil = 0;
  #timer: NodeJS.Timeout | undefined;
  #due = 0;
  /** The loads of models, with their times in seconds of the process's clock. */
  readonly loads: { readonly model: string; readonly at: number }[] = [];
  crashes = 0;
  /** The delays of its timers in seconds. The real machine causes them. */
  readonly lateness: number[] = [];

  constructor(options: MacOptions) {
    this.options = options;
    this.#processor = new SharedProcessor(options.speed, options.slots);
  }

  /** Work done so far, wasted work included. */
  get executed(): number {
    this.#processor.advanceTo(secondsNow());
    return this.#processor.executed;
  }

  /** The sum over all slots of the seconds in use. */
  get slotSeconds(): number {
    this.#processor.advanceTo(secondsNow());
    return this.#processor.slotSeconds;
  }

  /** Runs one item. Rejects with the signal's reason, with `RunFailure` after a crash, or with the item's error. */
  run(run: MacRun): Promise<void> {
    run.signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const onAbort = () => this.#abort(waiting);
    const waiting: Waiting = { ...run, resolve, reject, share: null, onAbort };
    run.signal.addEventListener('abort', onAbort, { once: true });
    this.#waiting.push(waiting);
    this.#advance();
    return promise;
  }

  /** Forgets the loaded model and any crash. Callers must have aborted their items. */
  powerOff(): void {
    clearTimeout(this.#timer);
    this.#model = null;
    this.#loading = null;
    this.#pausedUntil = 0;
  }

  #advance(): void {
    const now = secondsNow();
    if (this.#pausedUntil > 0 && now >= this.#pausedUntil) {
      this.#pausedUntil = 0;
      this.#model = this.#loading ?? this.#model;
      this.#loading = null;
    }
    for (const share of this.#processor.takeEnded(now)) this.#end(share, now);
    this.#admit(now);
    this.#schedule(now);
  }

  #admit(now: number): void {
    while (this.#pausedUntil === 0) {
      const [next] = this.#waiting;
      if (next === undefined) return;
      if (this.options.loadSeconds > 0 && next.model !== this.#model) {
        if (this.#running.size > 0) return;
        this.loads.push({ model: next.model, at: now });
        this.#loading = next.model;
        this.#pausedUntil = now + this.options.loadSeconds;
        return;
      }
      this.#waiting.shift();
      const part = next.poison === null ? 1 : WORK_UNTIL_FAILURE[next.poison];
      next.share = this.#processor.start(next.cost * part, now);
      this.#running.set(next.share, next);
    }
  }

  #end(share: Share, now: number): void {
    const run = this.#running.get(share);
    // A crash has failed it already.
    if (run === undefined) return;
    this.#remove(run);
    if (run.poison === null) run.resolve();
    else if (run.poison === 'errors') run.reject(new Error('this item always fails'));
    else this.#crash(run, now);
  }

  #crash(culprit: Waiting, now: number): void {
    this.crashes += 1;
    this.#pausedUntil = now + RESTART_SECONDS;
    this.#model = null;
    for (const victim of [culprit, ...this.#running.values()]) {
      if (victim.share !== null) this.#processor.stop(victim.share, now);
      this.#remove(victim);
      victim.reject(new RunFailure('crashed', 'runtime_crashed', "the model's process has crashed"));
    }
  }

  #abort(run: Waiting): void {
    if (run.share !== null) this.#processor.stop(run.share, secondsNow());
    this.#waiting = this.#waiting.filter((other) => other !== run);
    this.#remove(run);
    run.reject(run.signal.reason);
    this.#advance();
  }

  #remove(run: Waiting): void {
    run.signal.removeEventListener('abort', run.onAbort);
    if (run.share !== null) this.#running.delete(run.share);
  }

  #schedule(now: number): void {
    clearTimeout(this.#timer);
    const next = this.#pausedUntil > 0 ? this.#pausedUntil - now : this.#processor.secondsToNext(now);
    if (next === null) return;
    this.#due = now + next;
    this.#timer = setTimeout(() => {
      this.lateness.push(Math.max(0, secondsNow() - this.#due));
      this.#advance();
    }, next * 1000);
  }
}

function secondsNow(): number {
  return performance.now() / 1000;
}
