/** When connections are dropped a second time after a wake: by then Node has closed the idle ones. */
const AGAIN_MS = 5000;

/**
 * The connections to the control plane. After a sleep they may be dead without either side knowing: a request on one
 * would wait for its whole time limit. Requests that are dropped are sent again by the client.
 */
export class ControlConnections {
  #alive = new AbortController();

  /** `fetch`, but it ends when the connections are dropped. */
  readonly fetch = (url: string, init: RequestInit): Promise<Response> =>
    fetch(url, {
      ...init,
      signal: AbortSignal.any([this.#alive.signal, ...(init.signal == null ? [] : [init.signal])]),
    });

  /** Drops everything that is under way now, and once more when idle connections from before have ended. */
  dropAfterSleep(): void {
    this.#drop();
    setTimeout(() => this.#drop(), AGAIN_MS).unref();
  }

  #drop(): void {
    this.#alive.abort(new Error('the connection is from before a sleep of this machine'));
    this.#alive = new AbortController();
  }
}
