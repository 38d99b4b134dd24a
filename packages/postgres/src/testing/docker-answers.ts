import { setTimeout as pause } from 'node:timers/promises';

/** An engine that runs answers within a fraction of this, one that hangs never does. */
const PATIENCE_MS = 5000;

/** Whether Testcontainers finds a Docker engine that answers. Takes a moment and never hangs. */
export async function dockerAnswers(patienceMs = PATIENCE_MS): Promise<boolean> {
  const settled = new AbortController();
  try {
    const { getContainerRuntimeClient } = await import('testcontainers');
    const found = getContainerRuntimeClient().then(() => true);
    const gaveUp = pause(patienceMs, false, { signal: settled.signal });
    return await Promise.race([found, gaveUp]);
  } catch {
    return false;
  } finally {
    settled.abort();
  }
}
