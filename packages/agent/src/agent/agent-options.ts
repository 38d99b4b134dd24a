import type { Client } from '@macbatch/client';
import type { Sleep } from '../loops/backoff.ts';
import type { Outbox } from '../outbox/outbox.ts';
import type { Runtime } from '../runtimes/runtime.ts';
import type { Pauses } from '../worker/pauses.ts';
import type { FormerBoots } from '../worker-folder/former-boots.ts';
import type { ModelsStatus } from '../worker-folder/models-status.ts';
import type { RunningItems } from '../worker-folder/running-items.ts';

export interface AgentOptions {
  readonly client: Client;
  readonly workerId: string;
  /** New for each process. */
  readonly bootId: string;
  readonly hostname: string;
  /** The boots before this one. Without them the control plane does not check for a second machine with this id. */
  readonly boots?: FormerBoots;
  readonly runtimes: readonly Runtime[];
  /** Keeps finished outcomes until they are acknowledged. Without an outbox they are only in memory. */
  readonly outbox?: Outbox;
  /** Knows which items were running when an earlier process died. Without it, they run again like all others. */
  readonly running?: RunningItems;
  /** Number of items that run concurrently. */
  readonly concurrency: number;
  /**
   * Runs at most half as many items as `concurrency` and the model servers allow.
   * @default false
   */
  readonly gentle?: boolean;
  /** The highest number of tasks in one lease call; null lets the control plane decide by the worker's rate. */
  readonly leaseLimit: number | null;
  /** How long running items may continue after a request to stop. */
  readonly graceMs: number;
  /** Longest time between two heartbeats. A lease shorter than three times this is renewed sooner. */
  readonly heartbeatMs: number;
  /**
   * How long the outcome of a task that still runs may wait before it is reported.
   * @default 10 seconds
   */
  readonly reportMs?: number;
  /** How long the worker waits when a model server is in trouble. */
  readonly pauses?: Pauses;
  /** Is called with each heartbeat. */
  readonly onModels?: (status: Omit<ModelsStatus, 'pid'>) => void;
  readonly log: (event: string, fields?: Readonly<Record<string, unknown>>) => void;
  /** A clock for durations, in milliseconds. It never goes back, and advances while the machine sleeps: see `steadyClock`. */
  readonly now: () => number;
  /** Waits before a retry. */
  readonly sleep: Sleep;
  /** A number in [0, 1) that spreads the retries of many workers. */
  readonly random: () => number;
}
