/**
 * Detects that this process's host slept: the database's clock advanced, and a clock that stops during sleep did not.
 * A host that slept has received no heartbeats, so no worker may lose a lease for that time.
 */
export class HostSleep {
  readonly #gapMs: number;
  #last: { readonly databaseMs: number; readonly awakeMs: number } | null = null;

  /** `gapMs` is the difference between the clocks that counts as sleep. */
  constructor(gapMs: number) {
    this.#gapMs = gapMs;
  }

  /** Whether the host slept since the last call. */
  hasSlept(databaseMs: number, awakeMs: number): boolean {
    const last = this.#last;
    this.#last = { databaseMs, awakeMs };
    return last !== null && databaseMs - last.databaseMs - (awakeMs - last.awakeMs) > this.#gapMs;
  }
}
