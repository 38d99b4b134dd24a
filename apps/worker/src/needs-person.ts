import { ApiError, type Client } from '@macbatch/client';

/**
 * Whether a start that failed with this error fails again until a person changes something. Errors of the system and
 * of Node have a code, and may pass: a full disk, a folder that is not mounted yet.
 */
export function needsPerson(error: unknown): boolean {
  return error instanceof Error && Reflect.get(error, 'code') === undefined;
}

/** Longest time that the start of a worker waits for the answer about its key. */
const TIMEOUT_MS = 5000;

/** Throws if the control plane refuses the key of this worker. A control plane that does not answer is no reason. */
export async function checkKey(client: Client): Promise<void> {
  const refusal = await client
    .call('readCaller', {}, { signal: AbortSignal.timeout(TIMEOUT_MS) })
    .catch((error: unknown) => error);
  if (refusal instanceof ApiError && refusal.code === 'invalid_key')
    throw new Error(
      `${client.baseUrl} refuses the key of this worker: ${refusal.message} Join again: macbatch worker join ${client.baseUrl} --token T, then: macbatch worker start`,
    );
}
