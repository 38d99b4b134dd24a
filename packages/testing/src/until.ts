import { setTimeout as delay } from 'node:timers/promises';

/** Long, because other tests run on the same processor. */
const TIMEOUT_MS = 90_000;
const SHORTEST_WAIT_MS = 10;
/** Many conditions are requests: asking more often would take the processor from the programs under test. */
const LONGEST_WAIT_MS = 150;

/**
 * Calls `look` until it returns something other than `undefined` and `false`, and returns that. Waits longer after each
 * call. An error of `look` counts as "not yet"; the last one is thrown at the time-out.
 */
export async function until<T>(look: () => T | Promise<T>): Promise<Exclude<T, undefined | false>> {
  const deadline = performance.now() + TIMEOUT_MS;
  const stillWaiting = new Error(`still waiting for ${look.toString()}`);
  for (let waitMs = SHORTEST_WAIT_MS; ; waitMs = Math.min(LONGEST_WAIT_MS, waitMs * 1.5)) {
    let problem: unknown = stillWaiting;
    try {
      const found = await look();
      if (found !== undefined && found !== false) return found as Exclude<T, undefined | false>;
    } catch (error) {
      problem = error;
    }
    if (performance.now() > deadline) throw problem;
    await delay(waitMs);
  }
}
