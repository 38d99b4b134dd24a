/** The fetch of one process on a Mac, and how long its requests took. */
export interface Wire {
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  /** As a kill leaves it: no request leaves any more, no reply arrives. */
  cut(): void;
}

/** Seconds that requests took which the control plane does not hold open. */
export type RoundTrips = number[];

export function wire(roundTrips: RoundTrips): Wire {
  const gone = new AbortController();
  return {
    async fetch(url, init) {
      const signals = [gone.signal, init.signal].filter((signal) => signal != null);
      const sentAt = performance.now();
      const response = await fetch(url, { ...init, signal: AbortSignal.any(signals) });
      // Read here, so that the whole reply is in the time it took, and comes from a process that lives.
      const body = await response.arrayBuffer();
      gone.signal.throwIfAborted();
      if (!url.endsWith('/tasks/lease')) roundTrips.push((performance.now() - sentAt) / 1000);
      return new Response(body, response);
    },
    cut: () => gone.abort(new Error('this Mac is off')),
  };
}
