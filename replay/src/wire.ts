/** The connection of one process on a Mac. */
export interface Wire {
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  /** Aborts all requests, as when the process is killed. */
  cut(): void;
}

/** Seconds of each request, long polls excluded. */
export type RoundTrips = number[];

/** Opens a connection whose requests are timed. */
export function wire(roundTrips: RoundTrips): Wire {
  const cutOff = new AbortController();
  return {
    async fetch(url, init) {
      const signals = [cutOff.signal, init.signal].filter((signal) => signal != null);
      const sentAt = performance.now();
      const response = await fetch(url, { ...init, signal: AbortSignal.any(signals) });
      // Reads the whole reply, so that its time is included and a killed process gets none.
      const body = await response.arrayBuffer();
      cutOff.signal.throwIfAborted();
      if (!url.endsWith('/tasks/lease')) roundTrips.push((performance.now() - sentAt) / 1000);
      return new Response(body, response);
    },
    cut: () => cutOff.abort(new Error('this Mac is off')),
  };
}
