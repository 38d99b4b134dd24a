/** A Mac with k of c slots in use runs at (k / c) ^ 0.6 of its speed. */
const IDLE_EXPONENT = 0.6;

/** Work computed after the end of an item is credited to the next item for this long. */
const SURPLUS_SECONDS = 2;

/** The work of one running item. */
export interface Share {
  readonly startedAtWork: number;
  readonly endsAtWork: number;
}

/**
 * The processor of a Mac: k items progress together at speed * (k / c) ^ 0.6. Times are seconds of the caller's clock.
 * Work is seconds of a busy Mac of speed 1.
 *
 * Callers notice the end of an item a little late, because the timers of the real machine are late. The work that the
 * Mac would have done since then is credited to the next item.
 */
export class SharedProcessor {
  readonly #speed: number;
  readonly #slots: number;
  readonly #running = new Set<Share>();
  #surplus: { readonly work: number; readonly until: number }[] = [];
  /** Work that an item would have got if it had run from the beginning. */
  #work = 0;
  #at = 0;
  #executed = 0;
  #busy = 0;

  constructor(speed: number, slots: number) {
    this.#speed = speed;
    this.#slots = slots;
  }

  get size(): number {
    return this.#running.size;
  }

  /** Work done up to the last update, wasted work included. */
  get executed(): number {
    return this.#executed;
  }

  /** The sum over all slots of the seconds in use up to the last update. */
  get slotSeconds(): number {
    return this.#busy;
  }

  /** Starts an item. */
  start(work: number, now: number): Share {
    this.advanceTo(now);
    this.#surplus = this.#surplus.filter(({ until }) => until >= now);
    const credit = Math.min(this.#surplus.shift()?.work ?? 0, work);
    const share = { startedAtWork: this.#work - credit, endsAtWork: this.#work - credit + work };
    this.#executed += credit;
    this.#running.add(share);
    return share;
  }

  /** Stops an item that has not ended. */
  stop(share: Share, now: number): void {
    this.advanceTo(now);
    this.#running.delete(share);
  }

  /** Removes and returns the items that have ended, earliest first. */
  takeEnded(now: number): Share[] {
    this.advanceTo(now);
    const ended = [...this.#running]
      .filter(({ endsAtWork }) => endsAtWork <= this.#work + 1e-9)
      .toSorted((one, other) => one.endsAtWork - other.endsAtWork);
    for (const share of ended) {
      this.#running.delete(share);
      const surplus = Math.max(0, this.#work - share.endsAtWork);
      this.#executed -= surplus;
      if (surplus > 0) this.#surplus.push({ work: surplus, until: now + SURPLUS_SECONDS });
    }
    return ended;
  }

  /** Returns the seconds until the next item ends. Null if none runs. */
  secondsToNext(now: number): number | null {
    this.advanceTo(now);
    if (this.#running.size === 0) return null;
    const next = Math.min(...[...this.#running].map(({ endsAtWork }) => endsAtWork));
    return Math.max(0, next - this.#work) / this.#rate;
  }

  /** Updates the sums. */
  advanceTo(now: number): void {
    const passed = Math.max(0, now - this.#at);
    this.#at = now;
    if (this.#running.size === 0) return;
    this.#work += passed * this.#rate;
    this.#executed += passed * this.#rate * this.#running.size;
    this.#busy += passed * this.#running.size;
  }

  /** Work per second of each item. */
  get #rate(): number {
    const running = this.#running.size;
    return (this.#speed * (running / this.#slots) ** IDLE_EXPONENT) / running;
  }
}
