import type { Client } from '@macbatch/client';
import type { Sleep } from '../loops/backoff.ts';
import type { Outbox } from '../outbox/outbox.ts';
import type { Runtime } from '../runtimes/runtime.ts';
import type { FormerBoots } from '../worker-folder/former-boots.ts';

export interface AgentOptions {
  readonly client: Client;
  readonly workerId: string;
  /** A new one for each process. */
  readonly bootId: string;
  readonly hostname: string;
  /** The boots before this one; without them the control plane takes this worker's word for its id. */
  readonly boots?: FormerBoots;
  readonly runtimes: readonly Runtime[];
  /** Where finished outcomes are until they are answered for; without one they are only in memory. */
  readonly outbox?: Outbox;
  /** Items run at once. */
  readonly concurrency: number;
  /** Most tasks asked for at once; null leaves it to the worker's pace. */
  readonly leaseLimit: number | null;
  /** How long running items may go on after the worker was told to stop. */
  readonly graceMs: number;
  /** Longest time between heartbeats; leases shorter than three of them are renewed sooner. */
  readonly heartbeatMs: number;
  /** How long an outcome of a task that still runs may wait before it is reported; 10 s by default. */
  readonly reportMs?: number;
  readonly log: (event: string, fields?: Readonly<Record<string, unknown>>) => void;
  /** This machine's wall clock in milliseconds: it goes on while the machine sleeps, timers do not. */
  readonly now: () => number;
  /** Pauses before something is tried again. */
  readonly sleep: Sleep;
  /** In [0, 1): spreads the retries of many workers. */
  readonly random: () => number;
}

/**
 * The life of an agent. `starting`: not yet known to the control plane. `running`: leases and runs.
 * `draining`: takes nothing new, ends or hands back what it holds. `stopped`: has said goodbye.
 */
export type AgentState = 'starting' | 'running' | 'draining' | 'stopped';
