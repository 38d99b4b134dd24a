import type { Offer } from '../runtimes/runtime.ts';
import { isStartable } from './held-task.ts';
import { isFormerReported } from './reports.ts';
import { isSameOffer, isWithdrawn } from './withdrawals.ts';
import { isQuarantined, type WorkerState } from './worker-state.ts';

/** What the worker asks for now; null while it wants nothing, or may not lease. */
export function wantedOffers(state: WorkerState, now: number): readonly Offer[] | null {
  if (!isReadyForWork(state) || !state.outboxWritable) return null;
  const offers = offeredNow(state, now);
  return offers.length === 0 ? null : offers;
}

/** Whether the worker has room for more and may lease, if it has an offer and an outbox that takes records. */
export function isReadyForWork(state: WorkerState): boolean {
  if (state.life !== 'running') return false;
  // The first heartbeat comes before the first claim: it lets the control plane take back expired leases.
  if (!state.admission.admitted || !isFormerReported(state)) return false;
  // A runtime that may be broken is tested before it gets more work.
  if (state.tasks.some(isStartable) || isQuarantined(state)) return false;
  // Without a report the control plane would lease the same items again.
  return !hasUnreportedLoss(state);
}

/** Offers of all runtimes that are not withdrawn, each once. */
export function offeredNow(state: WorkerState, now: number): readonly Offer[] {
  const offers: Offer[] = [];
  for (const offer of state.runtimes.flatMap((runtime) => runtime.offers)) {
    if (offers.some((known) => isSameOffer(known, offer))) continue;
    if (isWithdrawn(state.withdrawals, { offer, runtime: null }, now)) continue;
    if (runtimeFor(state, offer, now) !== null) offers.push(offer);
  }
  return offers;
}

/** Index of the first runtime that can run the offer now; null if there is none. */
export function runtimeFor(state: WorkerState, offer: Offer, now: number): number | null {
  const index = state.runtimes.findIndex(
    ({ offers }, runtime) =>
      offers.some((each) => isSameOffer(each, offer)) &&
      !isWithdrawn(state.withdrawals, { offer, runtime }, now),
  );
  return index === -1 ? null : index;
}

/** Whether outcomes under a lost lease are not acknowledged yet. */
function hasUnreportedLoss({ tasks }: WorkerState): boolean {
  return tasks.some(({ lost, outcomes, acknowledged }) => lost && outcomes.length > acknowledged);
}
