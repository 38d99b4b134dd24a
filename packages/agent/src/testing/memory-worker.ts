import { Agent } from '../agent/agent.ts';
import { sleep } from '../loops/backoff.ts';
import type { Runtime } from '../runtimes/runtime.ts';
import type { Pauses } from '../worker/pauses.ts';
import type { MemoryControlPlane } from './memory-control-plane.ts';

export interface MemoryWorker {
  /** Logged events, oldest first. */
  readonly log: readonly ({ readonly event: string } & Readonly<Record<string, unknown>>)[];
  /** Stops it without a grace time. */
  stop(): Promise<void>;
}

/** Starts a real agent with one runtime, or several, on a control plane in memory. */
export function startMemoryWorker(
  control: MemoryControlPlane,
  runtimes: Runtime | readonly Runtime[],
  {
    slots,
    pauses,
    now = Date.now,
    gentle = false,
  }: {
    readonly slots: number;
    readonly pauses: Pauses;
    readonly now?: () => number;
    readonly gentle?: boolean;
  },
): MemoryWorker {
  const log: { event: string; [field: string]: unknown }[] = [];
  const agent = new Agent({
    client: control.client,
    workerId: 'mac',
    bootId: 'boot',
    hostname: 'test-mac',
    runtimes: [runtimes].flat(),
    concurrency: slots,
    gentle,
    leaseLimit: 1,
    graceMs: 0,
    heartbeatMs: 2000,
    reportMs: 100,
    pauses,
    log: (event, fields = {}) => log.push({ event, ...fields }),
    now,
    sleep,
    random: Math.random,
  });
  const asked = new AbortController();
  const ended = agent.run(asked.signal, new AbortController().signal);
  return {
    log,
    async stop() {
      asked.abort();
      await ended;
    },
  };
}
