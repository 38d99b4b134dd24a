/**
 * Notices that this process's own host slept: the database's clock went on, a clock that counts only while
 * the host is awake did not. Whoever slept heard no heartbeats, and nobody is to lose a lease for that.
 */
export class HostSleep {
  readonly #gapMs: number;
  #last: { readonly databaseMs: number; readonly awakeMs: number } | null = null;

  /** `gapMs`: how far the clocks must part to count as sleep. */
  constructor(gapMs: number) {
    this.#gapMs = gapMs;
  }

  /** Whether the host slept since the last look. */
  look(databaseMs: number, awakeMs: number): boolean {
    const last = this.#last;
    this.#last = { databaseMs, awakeMs };
    return last !== null && databaseMs - last.databaseMs - (awakeMs - last.awakeMs) > this.#gapMs;
  }
}
