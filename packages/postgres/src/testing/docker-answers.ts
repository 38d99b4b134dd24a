import pTimeout from 'p-timeout';

/** A running engine answers within a fraction of this time. */
const TIMEOUT_MS = 5000;

/** Returns whether Testcontainers finds a Docker engine that answers in time. */
export async function dockerAnswers(timeoutMs = TIMEOUT_MS): Promise<boolean> {
  try {
    const { getContainerRuntimeClient } = await import('testcontainers');
    const found = getContainerRuntimeClient().then(() => true);
    return await pTimeout(found, { milliseconds: timeoutMs, fallback: () => false });
  } catch {
    return false;
  }
}
