import type { Offer } from '../runtimes/runtime.ts';
import { type Change, emit, nothing } from './change.ts';
import { laneOf } from './endpoint-control.ts';
import { type Gate, isDown } from './gate.ts';
import { isSameOffer, isWithdrawn, type Withdrawal } from './withdrawals.ts';
import type { RuntimeState, WorkerState } from './worker-state.ts';

/** The contract's limit on troubles in one heartbeat. */
const MAX_TROUBLES = 100;
/** A full server or a rate limit is told of at once if it takes this long. */
const TOLD_AFTER_MS = 5000;
/** Longest message of a trouble, in characters. */
const MAX_MESSAGE_LENGTH = 500;

/** Why the worker cannot run an offer now, in the form of a heartbeat. */
export interface Trouble extends Offer {
  readonly endpoint: string;
  readonly code: string;
  readonly message: string;
  readonly since_seconds: number;
  readonly next_try_seconds: number | null;
}

/** Lists the offers that no runtime can run now, with the error of each runtime. */
export function troublesOf(state: WorkerState, now: number): readonly Trouble[] {
  const offers = state.runtimes.flatMap((runtime) => runtime.offers);
  const distinct = offers.filter(
    (offer, index) => offers.findIndex((each) => isSameOffer(each, offer)) === index,
  );
  return distinct
    .flatMap((offer) => {
      const found = state.runtimes.flatMap((runtime, index) =>
        runtime.offers.some((each) => isSameOffer(each, offer))
          ? [troubleOn(state, runtime, index, offer, now)]
          : [],
      );
      // One runtime that can run the offer is enough.
      return found.every((trouble) => trouble !== null) ? found : [];
    })
    .slice(0, MAX_TROUBLES);
}

function troubleOn(
  { withdrawals }: WorkerState,
  { name, control }: RuntimeState,
  runtime: number,
  offer: Offer,
  now: number,
): Trouble | null {
  const withdrawal = [runtime, null]
    .filter((each) => isWithdrawn(withdrawals, { offer, runtime: each }, now))
    .map((each) => withdrawals.find((one) => one.runtime === each && isSameOffer(one.offer, offer)))
    .find((each) => each !== undefined);
  if (withdrawal !== undefined) return trouble(offer, name, ofWithdrawal(withdrawal), now);
  const gate = control.gate ?? laneOf(control, offer.model).gate;
  return gate === null ? null : trouble(offer, name, { ...gate.error, ...gate }, now);
}

function ofWithdrawal({ code, message, since, until, ends }: Withdrawal) {
  return { code, message, since, until: ends === 'restart' ? null : until };
}

function trouble(
  { job_type, model }: Offer,
  endpoint: string,
  {
    code,
    message,
    since,
    until,
  }: { readonly code: string; readonly message: string; since: number; until: number | null },
  now: number,
): Trouble {
  return {
    job_type,
    model,
    endpoint,
    code,
    message: message.slice(0, MAX_MESSAGE_LENGTH).toWellFormed() || code,
    since_seconds: Math.max(0, now - since) / 1000,
    next_try_seconds: until === null ? null : Math.max(0, until - now) / 1000,
  };
}

/** Sends a heartbeat immediately when a trouble has begun or ended, if it can last for some seconds. */
export function tellTroubles(before: WorkerState): Change {
  return (after) => (key(after) === key(before) ? nothing : emit({ kind: 'send_heartbeat' }))(after);
}

function key({ runtimes, withdrawals }: WorkerState): string {
  const codeOf = (gate: Gate | null) => (gate !== null && isWorthTelling(gate) ? gate.error.code : '');
  return JSON.stringify([
    runtimes.map(({ control }) => [
      codeOf(control.gate),
      ...control.lanes.map(({ model, gate }) => [model, codeOf(gate)]).filter(([, code]) => code !== ''),
    ]),
    withdrawals
      .filter(({ active }) => active)
      .map(({ offer, runtime, code }) => [offer.job_type, offer.model, runtime, code]),
  ]);
}

/** A server that is full or limits the rate for a moment is not told of: the next request may be answered. */
function isWorthTelling(gate: Gate): boolean {
  return isDown(gate) || gate.until - gate.since >= TOLD_AFTER_MS;
}
