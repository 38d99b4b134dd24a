/** How much slower a Mac with idle slots is: k of c slots make it (k / c) ^ 0.6 as fast. */
const IDLE_EXPONENT = 0.6;

/** For so long after an end, what was computed beyond it goes to the item that follows. */
const SURPLUS_SECONDS = 2;

/** A piece of work under way. */
export interface Share {
  readonly startedAtWork: number;
  readonly endsAtWork: number;
}

/**
 * A Mac's processor: k pieces of work progress together at speed * (k / c) ^ 0.6. Times are seconds by whatever
 * clock the caller has, work is seconds of a busy Mac of speed 1.
 *
 * Whoever looks at it is a little late, by the timers of the machine that this runs on, which is not the Mac's
 * fault: what it would have computed since an end is credited to the piece of work that follows.
 */
export class SharedProcessor {
  readonly #speed: number;
  readonly #slots: number;
  readonly #running = new Set<Share>();
  #surplus: { readonly work: number; readonly until: number }[] = [];
  /** Work that a piece would have got which has run from the beginning on. */
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

  /** All the work it has done up to the last look, whatever came of it. */
  get executed(): number {
    return this.#executed;
  }

  /** Seconds that slots were in use up to the last look, each for itself. */
  get slotSeconds(): number {
    return this.#busy;
  }

  start(work: number, now: number): Share {
    this.look(now);
    this.#surplus = this.#surplus.filter(({ until }) => until >= now);
    const credit = Math.min(this.#surplus.shift()?.work ?? 0, work);
    const share = { startedAtWork: this.#work - credit, endsAtWork: this.#work - credit + work };
    this.#executed += credit;
    this.#running.add(share);
    return share;
  }

  /** Stops a piece of work that has not ended. */
  stop(share: Share, now: number): void {
    this.look(now);
    this.#running.delete(share);
  }

  /** Takes out what has ended by now, earliest first. */
  ended(now: number): Share[] {
    this.look(now);
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

  /** Seconds until the next piece of work ends; null where none runs. */
  secondsToNext(now: number): number | null {
    this.look(now);
    if (this.#running.size === 0) return null;
    const next = Math.min(...[...this.#running].map(({ endsAtWork }) => endsAtWork));
    return Math.max(0, next - this.#work) / this.#rate;
  }

  /** Brings the sums up to date. */
  look(now: number): void {
    const passed = Math.max(0, now - this.#at);
    this.#at = now;
    if (this.#running.size === 0) return;
    this.#work += passed * this.#rate;
    this.#executed += passed * this.#rate * this.#running.size;
    this.#busy += passed * this.#running.size;
  }

  /** Work a second of each piece. */
  get #rate(): number {
    const running = this.#running.size;
    return (this.#speed * (running / this.#slots) ** IDLE_EXPONENT) / running;
  }
}
