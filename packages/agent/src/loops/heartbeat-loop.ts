import { ApiError, isOutage } from '@macbatch/client';
import type { Heartbeat } from '@macbatch/contract';
import { messageOf } from '@macbatch/core';
import type { AgentOptions } from '../agent/agent-options.ts';
import type { WorkMeters } from '../rates/work-meters.ts';
import {
  heartbeatPauseMs,
  outagePauseMs,
  planHeartbeat,
  unreportedLeases,
} from '../worker/heartbeat-plan.ts';
import { laneLimit } from '../worker/lane.ts';
import { troublesOf } from '../worker/troubles.ts';
import { offeredNow } from '../worker/work-wanted.ts';
import type { WorkerState } from '../worker/worker-state.ts';

import type { Recovery } from './recovery.ts';
import { Signal } from './signal.ts';
import type { WorkerMachine } from './worker-machine.ts';

/** After this time without a reply, the connection counts as dead. */
const REPLY_MS = 30_000;

/** Time limit for the last heartbeat, which reports that the worker goes offline. */
const GOODBYE_MS = 3000;

export interface HeartbeatLoopDeps {
  readonly options: AgentOptions;
  readonly machine: WorkerMachine;
  readonly meters: WorkMeters;
  readonly recovery: Recovery;
}

/**
 * Sends heartbeats, which describe the worker and renew its leases. Runs as a separate loop, so that a slow lease call
 * or report does not delay a heartbeat.
 */
export class HeartbeatLoop {
  readonly #deps: HeartbeatLoopDeps;
  readonly #now = new Signal();

  constructor(deps: HeartbeatLoopDeps) {
    this.#deps = deps;
  }

  /** Sends the next heartbeat now. */
  wake(): void {
    this.#now.notify();
  }

  /** Runs until `stopped` aborts. */
  async run(stopped: AbortSignal): Promise<void> {
    const { options, machine } = this.#deps;
    while (!stopped.aborted) {
      const sentAt = options.now();
      let outage = false;
      try {
        await this.#beat(sentAt, stopped);
        this.#deps.recovery.answered();
      } catch (error) {
        if (stopped.aborted) return;
        outage = isOutage(error);
        const idInUse = error instanceof ApiError && error.code === 'worker_id_in_use';
        machine.dispatch({ kind: 'heartbeat_failed', reason: messageOf(error), idInUse });
      }
      const passedMs = options.now() - sentAt;
      const pauseMs = outage
        ? outagePauseMs(machine.state, options.random())
        : heartbeatPauseMs(machine.state) - passedMs;
      await this.#now.wait(stopped, Math.max(0, pauseMs));
    }
  }

  /**
   * Reports to the control plane that the worker goes offline. The control plane then releases all leases of this
   * boot, including leases whose grant never reached the worker.
   */
  async sayGoodbye(): Promise<void> {
    const { options, machine } = this.#deps;
    const { client, log, outbox } = options;
    const unreported = outbox === undefined ? [] : unreportedLeases(machine.state);
    try {
      await client.call(
        'heartbeat',
        {
          body: {
            ...this.#advert(),
            offline: true,
            ...(unreported.length === 0 ? {} : { unreported: [...unreported] }),
          },
        },
        { signal: AbortSignal.timeout(GOODBYE_MS) },
      );
    } catch (error) {
      log('heartbeat.failed', { reason: messageOf(error) });
    }
  }

  async #beat(sentAt: number, stopped: AbortSignal): Promise<void> {
    const { options, machine } = this.#deps;
    const plan = planHeartbeat(machine.state);
    const replyMs = Math.max(REPLY_MS, machine.state.heartbeat.pauseMs);
    const reply = await options.client.call(
      'heartbeat',
      {
        body: {
          ...this.#advert(),
          ...(plan.returnsFormerBoots ? { return_former: true } : {}),
          ...(plan.suspects.length === 0 ? {} : { suspects: [...plan.suspects] }),
          renew: plan.renews.map(({ task_id, attempt }) => ({ task_id, attempt })),
        },
      },
      {
        signal: AbortSignal.any([stopped, AbortSignal.timeout(replyMs)]),
        onUnreadable: (entry) => options.log('heartbeat.unreadable', { ...entry }),
      },
    );
    for (const entry of reply.ignored) options.log('heartbeat.ignored', { ...entry });
    if (plan.returnsFormerBoots) await options.boots?.forget();
    machine.dispatch({ kind: 'heartbeat_answered', plan, sentAt, reply });
  }

  /** Describes the worker: its host, offers, settings and rates. */
  #advert(): Heartbeat {
    const { options, machine, meters } = this.#deps;
    const offers = offeredNow(machine.state, options.now());
    const troubles = troublesOf(machine.state, options.now());
    options.onModels?.({ troubles: [...troubles], limits: limitsOf(machine.state) });
    const { ownPause } = machine.state;
    return {
      worker_id: options.workerId,
      boot_id: options.bootId,
      ...(options.boots === undefined ? {} : { former_boot_ids: [...options.boots.former] }),
      hostname: options.hostname,
      job_types: [...new Set(offers.map((offer) => offer.job_type))],
      models: [...new Set(offers.map((offer) => offer.model))],
      concurrency: options.concurrency,
      lease_limit: options.leaseLimit ?? 0,
      rates: meters.knownRates(offers, machine.state),
      ...(troubles.length === 0 ? {} : { troubles: [...troubles] }),
      ...(ownPause === null
        ? {}
        : {
            own_pause: {
              rule: ownPause.rule,
              reason: ownPause.reason,
              since_seconds: Math.max(0, (options.now() - ownPause.since) / 1000),
            },
          }),
    };
  }
}

/** The most items of each model that may run concurrently now. */
function limitsOf({ runtimes }: WorkerState): { endpoint: string; model: string; items: number }[] {
  return runtimes.flatMap(({ name, control }) =>
    control.lanes.map((lane) => ({ endpoint: name, model: lane.model, items: laneLimit(lane) })),
  );
}
