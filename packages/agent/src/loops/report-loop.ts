import { ApiError } from '@macbatch/client';
import type { ReleasedLease } from '@macbatch/contract';
import { messageOf } from '@macbatch/core';
import type { AgentOptions } from '../agent/agent-options.ts';
import type { Effect } from '../worker/effect.ts';
import { reportWaitMs } from '../worker/reports.ts';
import { Backoff } from './backoff.ts';
import type { Recovery } from './recovery.ts';
import { ReportDelivery } from './report-delivery.ts';
import { Signal } from './signal.ts';

import type { WorkerMachine } from './worker-machine.ts';

export interface ReportLoopDeps {
  readonly options: Pick<AgentOptions, 'client' | 'workerId' | 'log' | 'now' | 'random' | 'sleep'>;
  readonly machine: Pick<WorkerMachine, 'state' | 'dispatch'>;
  readonly recovery: Recovery;
}

/** Sends reports when they are due, and again until the control plane has answered. */
export class ReportLoop {
  readonly #deps: ReportLoopDeps;
  readonly #delivery: ReportDelivery;
  readonly #earlier = new Signal();
  #next: Extract<Effect, { readonly kind: 'send_report' }> | null = null;

  constructor(deps: ReportLoopDeps) {
    this.#deps = deps;
    const { client, workerId, log } = deps.options;
    this.#delivery = new ReportDelivery({
      log,
      send: async (entries, signal) => {
        const body = { worker_id: workerId, entries: [...entries] };
        const onUnreadable = (entry: object) => log('report.unreadable', { ...entry });
        return (await client.call('completeBatch', { body }, { signal, onUnreadable })).entries;
      },
    });
  }

  /** Makes `run` read the time of the next report again, because it is earlier than before. */
  wake(): void {
    this.#earlier.notify();
  }

  /** Stores the report that is due. `run` sends it. */
  send(report: Extract<Effect, { readonly kind: 'send_report' }>): void {
    this.#next = report;
  }

  /** Runs until `finished` has aborted and no report waits, or until `giveUp` aborts. */
  async run(finished: AbortSignal, giveUp: AbortSignal): Promise<void> {
    const { options, machine } = this.#deps;
    const backoff = new Backoff({ ...options, recovery: this.#deps.recovery });
    const waiting = () => machine.state.reports.waiting.length;
    while (!giveUp.aborted) {
      if (finished.aborted && waiting() === 0) return;
      const waitMs = reportWaitMs(machine.state, options.now());
      if (!finished.aborted && (waitMs === null || waitMs > 0)) {
        await this.#earlier.wait(finished, waitMs ?? undefined);
        continue;
      }
      machine.dispatch({ kind: 'report_due' });
      const report = this.#next;
      this.#next = null;
      if (report === null) continue;
      try {
        const replies = await this.#delivery.deliver(report.entries, giveUp);
        await this.#release(report.releases, giveUp);
        machine.dispatch({ kind: 'report_answered', replies });
        backoff.succeeded();
      } catch (error) {
        if (giveUp.aborted) break;
        machine.dispatch({ kind: 'report_failed', reason: messageOf(error) });
        await backoff.wait(error, giveUp);
      }
    }
    if (waiting() > 0) options.log('report.abandoned', { tasks: waiting() });
  }

  async #release(leases: readonly ReleasedLease[], signal: AbortSignal): Promise<void> {
    const { client, workerId, log } = this.#deps.options;
    if (leases.length === 0) return;
    try {
      const reply = await client.call(
        'releaseTasks',
        { body: { worker_id: workerId, tasks: [...leases] } },
        { signal },
      );
      for (const { task_id, attempt, outcome } of reply.tasks)
        log('task.released', { task_id, attempt, outcome });
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      // These leases expire by themselves.
      log('release.refused', { tasks: leases.length, code: error.code });
    }
  }
}

/**
 * Whether the control plane refuses the content of a request. A refusal of the worker's key does not count, because
 * the worker keeps the content until the key is right.
 */
function isUnreadable(error: unknown): error is ApiError {
  return error instanceof ApiError && !error.retryable && !error.isCallerRefused;
}
