import { ApiError } from '@macbatch/client';
import type { LeaseRequest } from '@macbatch/contract';
import { messageOf } from '@macbatch/core';
import type { AgentOptions } from '../agent/agent-options.ts';
import type { Journal } from '../outbox/journal.ts';
import type { WorkMeters } from '../rates/work-meters.ts';
import type { Offer } from '../runtimes/runtime.ts';
import { leaseNameOf } from '../worker/lease-key.ts';
import { isSameOffer } from '../worker/withdrawals.ts';
import { offeredNow, wantedOffers } from '../worker/work-wanted.ts';
import { Backoff } from './backoff.ts';
import type { Recovery } from './recovery.ts';
import { Signal } from './signal.ts';
import type { WorkerMachine } from './worker-machine.ts';

/** How long the control plane may wait for work before it answers a lease request. */
const WAIT_SECONDS = 25;

/** After this time without a reply, the connection counts as dead. */
const REPLY_MS = 30_000;

export interface WorkLoopDeps {
  readonly options: AgentOptions;
  readonly machine: WorkerMachine;
  readonly meters: WorkMeters;
  readonly journal: Journal;
  readonly recovery: Recovery;
}

/** Asks the control plane for work whenever the worker wants some. */
export class WorkLoop {
  readonly #deps: WorkLoopDeps;
  readonly #changed = new Signal();
  /** The lease request that waits for an answer. */
  #asking: { readonly offers: readonly Offer[]; readonly abort: AbortController } | null = null;

  constructor(deps: WorkLoopDeps) {
    this.#deps = deps;
  }

  /** Checks again whether work is wanted. A request that waits and asks for too little is sent again. */
  wake(): void {
    this.#changed.notify();
    if (this.#asking === null) return;
    const { offers, abort } = this.#asking;
    const wanted = wantedOffers(this.#deps.machine.state, this.#deps.options.now()) ?? [];
    const isMore = wanted.some((offer) => !offers.some((each) => isSameOffer(each, offer)));
    if (isMore) abort.abort(new Error('the worker can run more now'));
  }

  /** Ends a request that waits, because nothing is wanted any more. */
  stopAsking(): void {
    this.#asking?.abort.abort(new Error('the worker is paused'));
  }

  /** Runs until `draining` aborts. */
  async run(draining: AbortSignal): Promise<void> {
    const { options, machine } = this.#deps;
    const backoff = new Backoff({ ...options, recovery: this.#deps.recovery });
    let answerLost = false;
    while (!draining.aborted) {
      const offers = wantedOffers(machine.state, options.now());
      if (offers === null) {
        await this.#waitForChange(draining);
        continue;
      }
      const sentAt = options.now();
      const abort = new AbortController();
      this.#asking = { offers, abort };
      try {
        const { tasks } = await options.client.call(
          'leaseTasks',
          { body: this.#request(offers, answerLost) },
          {
            signal: AbortSignal.any([
              draining,
              abort.signal,
              AbortSignal.timeout(WAIT_SECONDS * 1000 + REPLY_MS),
            ]),
            onUnreadable: (entry) => options.log('lease.unreadable', { ...entry }),
          },
        );
        backoff.succeeded();
        answerLost = false;
        machine.dispatch({ kind: 'leased', tasks, sentAt });
      } catch (error) {
        if (draining.aborted) return;
        answerLost = !(error instanceof ApiError) || error.retryable;
        if (abort.signal.aborted) continue;
        options.log('lease.failed', { reason: messageOf(error) });
        await backoff.wait(error, draining);
      } finally {
        this.#asking = null;
      }
    }
  }

  /** Waits for a change. Also polls, if nothing is offered or the outbox cannot be written. */
  async #waitForChange(draining: AbortSignal): Promise<void> {
    const { options, machine, journal } = this.#deps;
    const { state } = machine;
    const polls = offeredNow(state, options.now()).length === 0 || !state.outboxWritable;
    await this.#changed.wait(draining, polls ? state.heartbeat.pauseMs : undefined);
    await journal.probe();
  }

  #request(offers: readonly Offer[], answerLost: boolean): LeaseRequest {
    const { options, machine, meters } = this.#deps;
    return {
      worker_id: options.workerId,
      boot_id: options.bootId,
      ...(options.leaseLimit === null ? {} : { lease_limit: options.leaseLimit }),
      slots: options.concurrency,
      offers: offers.map((offer) => meters.describe(offer, machine.state)),
      renews: true,
      copies: true,
      // With the held leases, the control plane can repeat the leases of the lost reply.
      ...(answerLost ? { holds: machine.state.tasks.map(({ lease }) => leaseNameOf(lease)) } : {}),
      wait_seconds: WAIT_SECONDS,
    };
  }
}
