import { RunFailure, type Runtime, sleep } from '@macbatch/agent';
import type { Client } from '@macbatch/client';
import type { LeasedTask, Outcome, ReportEntry } from '@macbatch/contract';
import { messageOf } from '@macbatch/core';

const LEASE_LIMIT = 4;
const IDLE_MS = 5000;
/** Its heartbeats renew no leases. */
const HEARTBEAT_MS = 30_000;

export interface BaseWorkerOptions {
  readonly client: Client;
  readonly workerId: string;
  readonly bootId: string;
  readonly runtime: Runtime;
  readonly slots: number;
  /** Called when the runtime has crashed, and this worker with it. */
  readonly onCrash: () => void;
}

/**
 * The worker of the base rules: the simplest client of the API. It leases up to four tasks and runs them one after the
 * other, with one item in each slot. It reports a task when all its items have ended. If an item fails, it reports an
 * error of the whole task. It keeps outcomes in memory only.
 */
export class BaseWorker {
  readonly #options: BaseWorkerOptions;

  constructor(options: BaseWorkerOptions) {
    this.#options = options;
  }

  /** Works until `off` aborts. Does not say goodbye. */
  async run(off: AbortSignal): Promise<void> {
    const reports: Promise<void>[] = [];
    const heartbeats = this.#sendHeartbeats(off);
    while (!off.aborted) {
      const tasks = await this.#lease(off);
      for (const task of tasks) {
        if (off.aborted) break;
        const entry = await this.#runTask(task, off);
        // The next task starts while this report is sent.
        if (entry !== null) reports.push(this.#report(entry, off));
      }
      // Randomised, like the clocks of real machines.
      if (tasks.length === 0) await pause(IDLE_MS * (0.8 + 0.4 * Math.random()), off);
    }
    await Promise.all([heartbeats, ...reports]);
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

  /** Runs a task. Returns its report, or null if the worker crashed. */
  async #runTask(task: LeasedTask, off: AbortSignal): Promise<ReportEntry | null> {
    const name = { task_id: task.task_id, attempt: task.attempt };
    const outcomes: Outcome[] = [];
    const stopped = new AbortController();
    const signal = AbortSignal.any([off, stopped.signal]);
    const queue = [...task.items];
    const slot = async () => {
      for (let item = queue.shift(); item !== undefined; item = queue.shift()) {
        const { job_type, model } = task;
        const payloadText = item.payload;
        const payload: unknown = JSON.parse(payloadText);
        const request = { job_type, model, params: {}, payload, payloadText, signal };
        const { output } = await this.#options.runtime.run(request);
        outcomes.push({ item_id: item.item_id, output });
      }
    };
    try {
      await Promise.all(
        Array.from({ length: this.#options.slots }, () =>
          slot().catch((error: unknown) => {
            stopped.abort(new Error('another item of the task has failed'));
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

  async #sendHeartbeats(signal: AbortSignal): Promise<void> {
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
