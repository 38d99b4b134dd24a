import { readMembership, unsentOutcomes } from '@macbatch/agent';
import { messageOf } from '@macbatch/core';
import { DEFAULT_CONTROL_URL, type WorkerConfig } from '@macbatch/settings';
import { openControl } from './control.ts';

/** Longest time that a person waits for the control plane's words about a worker. */
const TIMEOUT_MS = 5000;

/** Describes the worker of this configuration as a value for JSON. `ask`: also asks the control plane about it. */
export async function describeWorker(config: WorkerConfig, stateDir: string, workerId: string, ask: boolean) {
  const membership = await readMembership(stateDir, workerId);
  return {
    worker_id: workerId,
    state_folder: stateDir,
    url: config.MACBATCH_CONTROL_URL ?? membership?.url ?? DEFAULT_CONTROL_URL,
    joined: membership !== null,
    /** The configuration names a control plane, which may need no key. */
    configured: config.MACBATCH_CONTROL_URL !== undefined,
    unsent: await unsentOutcomes(stateDir, workerId),
    ...(ask ? await askControl(config, stateDir, workerId) : {}),
  };
}

async function askControl(config: WorkerConfig, stateDir: string, workerId: string) {
  try {
    const client = await openControl(config, stateDir, workerId);
    const { workers } = await client.call('listWorkers', {}, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    return { view: workers.find((worker) => worker.worker_id === workerId) ?? null };
  } catch (error) {
    return { problem: messageOf(error) };
  }
}
