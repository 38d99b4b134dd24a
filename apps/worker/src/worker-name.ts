import { hostname } from 'node:os';
import { joinedWorkers } from '@macbatch/agent';
import { nameOfHost, type WorkerConfig } from '@macbatch/settings';

/** Returns the name under which this worker joins: the configured one, or the host's. */
export function joiningName(config: WorkerConfig): string {
  return config.MACBATCH_WORKER_ID ?? nameOfHost(hostname(), 'worker');
}

/**
 * Returns the name of this worker: the configured one, the host's, or the only one under which this machine has
 * joined a control plane. Throws if it has joined under several other names.
 */
export async function workerName(config: WorkerConfig, stateDir: string): Promise<string> {
  const hostName = joiningName(config);
  if (config.MACBATCH_WORKER_ID !== undefined) return hostName;
  const [joined, ...others] = await joinedWorkers(stateDir);
  if (joined === undefined || joined === hostName || others.includes(hostName)) return hostName;
  if (others.length === 0) return joined;
  throw new Error(
    `This machine has joined as ${[joined, ...others].join(', ')}. Set MACBATCH_WORKER_ID (--id) to one of them.`,
  );
}
