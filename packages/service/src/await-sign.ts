import type { LogFollower } from './log-follower.ts';
import type { ServiceContext } from './service-context.ts';
import { type SignOfLife, signOfLife } from './sign-of-life.ts';

/** A worker needs a second for its start; Node on a busy Mac needs ten. */
const TIMEOUT_MS = 40_000;
const POLL_MS = 200;

/**
 * Waits for the first answered heartbeat of a worker that was just started. What launchctl reports proves nothing.
 * Returns the last sign when the time is over, and null if there was none.
 */
export async function awaitSign(context: ServiceContext, log: LogFollower): Promise<SignOfLife | null> {
  const { host } = context;
  const deadline = host.now() + TIMEOUT_MS;
  const lines: string[] = [];
  try {
    for (;;) {
      lines.push(...(await log.read()));
      const sign = signOfLife(lines);
      if (sign?.kind === 'alive' || sign?.kind === 'failed') return sign;
      if (host.now() > deadline) return sign;
      await host.sleep(POLL_MS);
    }
  } finally {
    await log.close();
  }
}
