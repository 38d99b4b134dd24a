/**
 * Ends the pauses of all loops after an outage as soon as one loop gets an answer, because the control plane is back.
 */
export class Recovery {
  #next: AbortController | null = null;

  /** Aborts when any loop gets its next answer. */
  get signal(): AbortSignal {
    this.#next ??= new AbortController();
    return this.#next.signal;
  }

  /** Ends the pauses of the loops that wait now. Called when a loop has got an answer. */
  answered(): void {
    this.#next?.abort();
    this.#next = null;
  }
}
