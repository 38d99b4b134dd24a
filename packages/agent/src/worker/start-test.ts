import type { Offer } from '../runtimes/runtime.ts';
import { type Change, emit, inOrder, nothing, set } from './change.ts';
import { laneOf } from './endpoint-control.ts';
import { requestsOn, withRuntime } from './endpoint-runs.ts';
import { hasFreshItemFor } from './fresh-items.ts';
import { isShut } from './gate.ts';
import type { ItemRecord } from './item-record.ts';
import type { Run, WorkerState } from './worker-state.ts';

/** After this many failures, a test shows whether the item or the server is to blame. */
const TEST_AFTER_TRIES = 2;

/**
 * Tests a server with one token when an item has failed alone and no other item can show whether the server works. Only
 * a server that has answered before is tested: one that has answered nobody is waited for.
 */
export function testIfUnclear(run: Run, record: ItemRecord): Change {
  return (state) => {
    const { runtime, offer } = run;
    const found = runtime === null ? undefined : state.runtimes[runtime];
    if (runtime === null || found === undefined || offer.job_type !== 'chat') return nothing(state);
    const { control, testing } = found;
    const lane = laneOf(control, offer.model);
    const isUnclear =
      run.aloneOnRuntime &&
      record.tries >= TEST_AFTER_TRIES &&
      lane.lastAnswered <= record.startedAtFailure &&
      lane.answered > 0;
    const isFree = !testing && requestsOn(state, runtime).every(({ number }) => number === run.number);
    if (!control.remote || !isUnclear || !isFree) return nothing(state);
    if ([control.gate, lane.gate].some((gate) => gate !== null)) return nothing(state);
    if (hasFreshItemFor(state, offer.model)) return nothing(state);
    return startTest(runtime, offer.model)(state);
  };
}

/**
 * Whether a server is tested before an item that has failed runs alone: it may still work on a request that was given
 * up. A test takes one token, and an item that hangs takes its whole time limit.
 */
export function needsTest(
  state: WorkerState,
  runtime: number,
  { job_type, model }: Offer,
  now: number,
): boolean {
  const found = state.runtimes[runtime];
  if (found === undefined || found.testing || job_type !== 'chat') return false;
  const { control } = found;
  const { gate, answered, abandoned, lastTest } = laneOf(control, model);
  return (
    control.remote &&
    control.gate === null &&
    (gate === null || (gate.error.code === 'timeout' && !isShut(gate, now))) &&
    answered > 0 &&
    abandoned.some(({ run, until }) => run > lastTest && until <= now) &&
    requestsOn(state, runtime).length === 0
  );
}

/** Asks a server for one token. */
export function startTest(runtime: number, model: string): Change {
  return (state) =>
    inOrder(
      withRuntime(runtime, (before) => ({ ...before, testing: true })),
      set((before) => ({ ...before, nextNumber: before.nextNumber + 1 })),
      emit({ kind: 'test_server', runtime, model, test: state.nextNumber }),
    )(state);
}
