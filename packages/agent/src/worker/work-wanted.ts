import type { Offer } from '../runtimes/runtime.ts';
import { laneOf } from './endpoint-control.ts';
import { placeFor, requestsOn, runtimesFor } from './endpoint-runs.ts';
import { hasFreshItem } from './fresh-items.ts';
import { isDown, isShut, isUnreachable } from './gate.ts';
import { type HeldTask, isStartable, offerOf } from './held-task.ts';
import { isFormerReported } from './reports.ts';
import { isSameOffer, isWithdrawn } from './withdrawals.ts';
import { isQuarantined, type WorkerState } from './worker-state.ts';

/** Most held tasks of one model whose items have all failed here. */
const MAX_FAILED_TASKS = 32;

/** The worker's next request for work; null while it needs no work or may not lease. */
export function wantedOffers(state: WorkerState, now: number): readonly Offer[] | null {
  if (!mayLease(state) || !state.outboxWritable) return null;
  const waiting = state.tasks.filter(isStartable);
  // Only items that wait for an endpoint leave room for others.
  if (waiting.some((task) => !waitsForEndpoint(state, task, now))) return null;
  if (waiting.length > 0 && state.runs.length >= state.settings.slots) return null;
  const offers = offersNotWithdrawn(state, now).filter(
    (offer) =>
      // Items that wait for their own time keep no others of their model away: those show whether the server works.
      waiting.every(
        (task) =>
          offerOf(task).model !== offer.model ||
          waitsForItsTime(state, task, now) ||
          !hasFreshItem(state, task) ||
          !shareRuntime(state, task, offer, now),
      ) && runtimesFor(state, offer, now).some((runtime) => takesWork(state, runtime, offer, now)),
  );
  return offers.length === 0 ? null : offers;
}

function waitsForEndpoint(state: WorkerState, task: HeldTask, now: number): boolean {
  if (task.possiblyExpired) return false;
  return placeFor(state, offerOf(task), now) === null || waitsForItsTime(state, task, now);
}

/** Whether only items are left that failed here and run again later, though their endpoint has room. */
function waitsForItsTime(state: WorkerState, task: HeldTask, now: number): boolean {
  const { queue, suspects } = task;
  return queue.length === 0 && suspects.length === 0 && placeFor(state, offerOf(task), now) !== null;
}

function shareRuntime(state: WorkerState, task: HeldTask, offer: Offer, now: number): boolean {
  const others = runtimesFor(state, offer, now);
  return runtimesFor(state, offerOf(task), now).some((runtime) => others.includes(runtime));
}

/** Whether a runtime could start an item of the offer, now or when one that runs there has ended. */
function takesWork(state: WorkerState, runtime: number, offer: Offer, now: number): boolean {
  const control = state.runtimes[runtime]?.control;
  if (control === undefined) return false;
  const lane = laneOf(control, offer.model);
  return [control.gate, lane.gate].every((gate) => {
    if (gate === null) return true;
    // An unreachable server is looked at without an item.
    if (isUnreachable(gate) || requestsOn(state, runtime).length > 0) return false;
    return !isShut(gate, now) || (isDown(gate) && hasOnlyFailed(state, offer));
  });
}

/**
 * Whether all held items of the offer's model have failed here. An item of another task then shows whether the server
 * works: without one, a few bad items would keep a healthy server closed.
 */
function hasOnlyFailed(state: WorkerState, offer: Offer): boolean {
  const held = state.tasks.filter((task) => isStartable(task) && offerOf(task).model === offer.model);
  return held.length > 0 && held.length < MAX_FAILED_TASKS && !held.some((task) => hasFreshItem(state, task));
}

/** Whether the worker has room for more and may lease, if it has an offer and an outbox that takes records. */
export function isReadyForWork(state: WorkerState): boolean {
  return mayLease(state) && !state.tasks.some(isStartable);
}

function mayLease(state: WorkerState): boolean {
  if (state.life !== 'running' || state.ownPause !== null) return false;
  // The first heartbeat comes before the first claim: it lets the control plane take back expired leases.
  if (!state.admission.admitted || !isFormerReported(state)) return false;
  // A runtime that may be broken is tested before it gets more work.
  if (isQuarantined(state)) return false;
  // Without a report the control plane would lease the same items again.
  return !hasUnreportedLoss(state);
}

/** Offers that this worker can run now, for its heartbeat: not withdrawn, and on an endpoint that answers. */
export function offeredNow(state: WorkerState, now: number): readonly Offer[] {
  return offersNotWithdrawn(state, now).filter((offer) =>
    runtimesFor(state, offer, now).some((runtime) => {
      const control = state.runtimes[runtime]?.control;
      return control !== undefined && !isDown(control.gate) && !isDown(laneOf(control, offer.model).gate);
    }),
  );
}

/** Offers of all runtimes that are not withdrawn, each once. */
function offersNotWithdrawn(state: WorkerState, now: number): readonly Offer[] {
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
  return runtimesFor(state, offer, now)[0] ?? null;
}

/** Whether outcomes under a lost lease are not acknowledged yet. */
function hasUnreportedLoss({ tasks }: WorkerState): boolean {
  return tasks.some(({ lost, outcomes, acknowledged }) => lost && outcomes.length > acknowledged);
}
