import { ApiError, type Client } from '@macbatch/client';
import type { BootProbe, Log } from '@macbatch/process';

/** Time between two tries. */
const PAUSE_MS = 5000;

/** B4: reports this boot until the control plane answers, and logs what it knew about this worker. */
export async function announceBoot(
  client: Client,
  name: string,
  probe: BootProbe,
  log: Log,
  sleep: (ms: number, signal: AbortSignal) => Promise<void>,
  stop: AbortSignal,
): Promise<void> {
  const { boot, previous_boot_id } = probe;
  while (!stop.aborted) {
    try {
      const report = { role: 'worker' as const, name, boot, previous_boot_id };
      const { verdict } = await client.call('reportBoot', { body: report }, { signal: stop });
      log('boot.known', { boot_id: boot.boot_id, verdict });
      return;
    } catch (error) {
      if (error instanceof ApiError && !error.retryable && !error.isCallerRefused) {
        log('boot.refused', { reason: error.message });
        return;
      }
      await sleep(PAUSE_MS, stop).catch(() => undefined);
    }
  }
}
