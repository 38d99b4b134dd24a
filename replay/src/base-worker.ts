import { RunFailure, type Runtime, sleep } from '@macbatch/agent';
import type { Client } from '@macbatch/client';
import type { LeasedTask, Outcome, ReportEntry } from '@macbatch/contract';
import { messageOf } from '@macbatch/core';

const LEASE_LIMIT = 4;
const IDLE_MS = 5000;
/** Its heartbeats say that it is alive; they renew nothing. */
const HEARTBEAT_MS = 30_000;

export interface BaseWorkerOptions {
  readonly client: Client;
  readonly workerId: string;
  readonly bootId: string;
  readonly runtime: Runtime;
  readonly slots: number;
  /** The runtime has crashed, and this process with it. */
  readonly onCrash: () => void;
}

/**
 * The worker of the base rules: what a client does that asks for nothing more. It leases up to four shards, runs
 * them one after the other, as many items of one shard at a time as it has slots, and reports a shard when all
 * of it has ended. An item that fails gives its whole shard back. What it has not reported is only in memory.
 */
export class BaseWorker {
  readonly #options: BaseWorkerOptions;

  constructor(options: BaseWorkerOptions) {
    this.#options = options;
  }

  /** Works until `off` aborts, and says nothing then. */
  async run(off: AbortSignal): Promise<void> {
    const reports: Promise<void>[] = [];
    const beating = this.#beat(off);
    while (!off.aborted) {
      const tasks = await this.#lease(off);
      for (const task of tasks) {
        if (off.aborted) break;
        const entry = await this.#runShard(task, off);
        // The next one starts meanwhile.
        if (entry !== null) reports.push(this.#report(entry, off));
      }
      // Spread, as the clocks of real machines are.
      if (tasks.length === 0) await pause(IDLE_MS * (0.8 + 0.4 * Math.random()), off);
    }
    await Promise.all([beating, ...reports]);
  }

  async #lease(signal: AbortSignal): Promise<readonly LeasedTask[]> {
    const { client, workerId, bootId, runtime } = this.#options;
    try {
      const { tasks } = await client.call(
        'leaseTasks',
        {
          body: {
            worker_id: workerId,
            boot_id: bootId,
            lease_limit: LEASE_LIMIT,
            offers: [...runtime.offers],
          },
        },
        { signal },
      );
      return tasks;
    } catch {
      return [];
    }
  }

  /** What to report of a shard; null where this process ended over it. */
  async #runShard(task: LeasedTask, off: AbortSignal): Promise<ReportEntry | null> {
    const name = { task_id: task.task_id, attempt: task.attempt };
    const outcomes: Outcome[] = [];
    const stopped = new AbortController();
    const signal = AbortSignal.any([off, stopped.signal]);
    const queue = [...task.items];
    const slot = async () => {
      for (let item = queue.shift(); item !== undefined; item = queue.shift()) {
        const { job_type, model } = task;
        const payload: unknown = JSON.parse(item.payload);
        const { output } = await this.#options.runtime.run({ job_type, model, params: {}, payload, signal });
        outcomes.push({ item_id: item.item_id, output });
      }
    };
    try {
      await Promise.all(
        Array.from({ length: this.#options.slots }, () =>
          slot().catch((error: unknown) => {
            stopped.abort(new Error('another item of its shard has failed'));
            throw error;
          }),
        ),
      );
      return { ...name, outcomes, final: true };
    } catch (error) {
      if (error instanceof RunFailure && error.failure === 'crashed') this.#options.onCrash();
      if (off.aborted) return null;
      const message = messageOf(error);
      return { ...name, outcomes: [], final: false, error: { code: 'item_failed', message } };
    }
  }

  async #report(entry: ReportEntry, signal: AbortSignal): Promise<void> {
    const { client, workerId } = this.#options;
    while (!signal.aborted) {
      try {
        await client.call('completeBatch', { body: { worker_id: workerId, entries: [entry] } }, { signal });
        return;
      } catch {
        await pause(IDLE_MS, signal);
      }
    }
  }

  async #beat(signal: AbortSignal): Promise<void> {
    const { client, workerId, bootId, runtime, slots } = this.#options;
    const offers = runtime.offers;
    const body = {
      worker_id: workerId,
      boot_id: bootId,
      hostname: workerId,
      job_types: [...new Set(offers.map(({ job_type }) => job_type))],
      models: offers.map(({ model }) => model),
      concurrency: slots,
      lease_limit: LEASE_LIMIT,
    };
    while (!signal.aborted) {
      await client.call('heartbeat', { body }, { signal }).catch(() => undefined);
      await pause(HEARTBEAT_MS, signal);
    }
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return sleep(ms, signal).catch(() => undefined);
}
