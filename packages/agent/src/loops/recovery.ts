/**
 * Lets loops that wait after an outage know that another loop has got an answer: the control plane is back, so none
 * of them waits to the end of its pause.
 */
export class Recovery {
  #next: AbortController | null = null;

  /** Aborts when any loop gets its next answer. */
  get signal(): AbortSignal {
    this.#next ??= new AbortController();
    return this.#next.signal;
  }

  /** A loop has got an answer. */
  answered(): void {
    this.#next?.abort();
    this.#next = null;
  }
}
