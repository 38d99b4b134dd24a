import { vi } from 'vitest';

/** Long, because other tests run on the same processor. */
const TIMEOUT_MS = 90_000;
const INTERVAL_MS = 20;

/** Calls `look` until it returns something other than `undefined` and `false`, and returns that. */
export async function until<T>(look: () => T | Promise<T>): Promise<Exclude<T, undefined | false>> {
  return vi.waitFor(
    async () => {
      const found = await look();
      if (found === undefined || found === false) throw new Error(`still waiting for ${look.toString()}`);
      return found as Exclude<T, undefined | false>;
    },
    { timeout: TIMEOUT_MS, interval: INTERVAL_MS },
  );
}
