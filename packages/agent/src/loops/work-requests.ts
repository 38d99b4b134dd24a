import { ApiError } from '@macbatch/client';
import type { LeasedTask, LeaseName, LeaseRequest } from '@macbatch/contract';
import { messageOf } from '@macbatch/core';
import type { AgentOptions } from '../agent/agent-options.ts';
import type { Offer } from '../runtimes/runtime.ts';
import { Backoff } from './backoff.ts';

/** How long the control plane may hold a request for work open. */
const WAIT_SECONDS = 25;

/** A reply that takes longer than this beyond what was asked for never comes: the connection is dead. */
const REPLY_MS = 30_000;

/** What a request for work says of an offer. */
export type ToldOffer = LeaseRequest['offers'][number];

export interface WorkRequestsDeps {
  readonly options: AgentOptions;
  /** An offer with what is known of it here. */
  readonly told: (offer: Offer) => ToldOffer;
  /** What is to be asked for now; null while nothing is. */
  readonly wanted: () => readonly Offer[] | null;
  /** Resolves when that may have changed. */
  readonly changed: () => Promise<void>;
  /** All leases that this worker knows of. */
  readonly held: () => readonly LeaseName[];
  /** Takes what was leased; the request left at `sentAt`. */
  readonly onLeased: (tasks: readonly LeasedTask[], sentAt: number) => void;
}

/** Asks for work whenever some is wanted, until `draining` aborts. */
export async function requestWork(deps: WorkRequestsDeps, draining: AbortSignal): Promise<void> {
  const { options } = deps;
  const backoff = new Backoff(options.random, options.sleep);
  let answerLost = false;
  while (!draining.aborted) {
    const offers = deps.wanted();
    if (offers === null) {
      await deps.changed();
      continue;
    }
    const sentAt = options.now();
    try {
      const timeout = AbortSignal.timeout(WAIT_SECONDS * 1000 + REPLY_MS);
      const { tasks } = await options.client.call(
        'leaseTasks',
        {
          body: {
            worker_id: options.workerId,
            boot_id: options.bootId,
            ...(options.leaseLimit === null ? {} : { lease_limit: options.leaseLimit }),
            slots: options.concurrency,
            offers: offers.map(deps.told),
            renews: true,
            copies: true,
            // What was granted in the lost answer is wanted, and not left lying until it expires.
            ...(answerLost ? { holds: [...deps.held()] } : {}),
            // Something may still be running: then its end must not wait for this reply.
            wait_seconds: WAIT_SECONDS,
          },
        },
        { signal: AbortSignal.any([draining, timeout]) },
      );
      backoff.succeeded();
      answerLost = false;
      deps.onLeased(tasks, sentAt);
    } catch (error) {
      if (draining.aborted) return;
      answerLost = !(error instanceof ApiError) || error.retryable;
      options.log('lease.failed', { reason: messageOf(error) });
      await backoff.wait(draining);
    }
  }
}
