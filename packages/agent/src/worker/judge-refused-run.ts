import { type Change, inOrder, nothing } from './change.ts';
import { laneOf } from './endpoint-control.ts';
import { hasAnswered, recordName, recordOf, requestsOn } from './endpoint-runs.ts';
import { judgeFailedRun } from './endpoint-trouble.ts';
import { hasFreshItemFor } from './fresh-items.ts';
import type { NotHereEnd } from './item-end.ts';
import { startTest } from './start-test.ts';
import type { Verdict } from './verdict.ts';
import { type Run, type RuntimeState, taskOf, type WorkerState } from './worker-state.ts';

/** Error codes that concern every item on this runtime, so that one item is enough to withdraw the model. */
const CERTAIN: ReadonlySet<string> = new Set(['unauthorized', 'quota_exhausted', 'certificate_refused']);

/** `withdraw`: the model or its server cannot run here. `rejected`: the server refuses what the item contains. */
type RefusalVerdict = Exclude<Verdict, 'server'> | 'withdraw' | 'rejected';

/**
 * Decides whether an item that cannot run here shows that its model cannot, and hands the verdict to `carryOut`. One
 * item does not withdraw a model that may be unable to run only that item: one that has answered others, or whose reply
 * may be about what the item contains. Then other items show who is to blame.
 */
export function judgeRefusedRun(
  run: Run,
  end: NotHereEnd,
  now: number,
  carryOut: (verdict: RefusalVerdict) => Change,
): Change {
  return (state) => {
    const { error } = end;
    const runtime = run.runtime === null ? undefined : state.runtimes[run.runtime];
    if (runtime === undefined || isCertain(runtime, run, end)) return carryOut('withdraw')(state);
    const hasAnsweredOthers = laneOf(runtime.control, run.offer.model).answered > 0;
    // A server that has answered others with this key refuses what the item contains, as for a 400.
    if (hasAnsweredOthers && error.code === 'forbidden') return carryOut('rejected')(state);
    const failed = { failure: 'not_here', error, bytesArrived: false, jitter: 0 } as const;
    return judgeFailedRun(run, run.item, failed, now, (verdict) => {
      if (verdict !== 'server' && verdict !== 'again') return carryOut(verdict);
      if (verdict === 'again' && (hasAnsweredOthers || hasOthers(state, run))) return carryOut('again');
      return inOrder(carryOut('withdraw'), testAtSecondRefusal(state, run));
    })(state);
  };
}

function isCertain(runtime: RuntimeState, run: Run, { error, mayBeOfItem = false }: NotHereEnd): boolean {
  if (CERTAIN.has(error.code)) return true;
  if (run.answeredBefore === 0) return !mayBeOfItem;
  // A server that answers other work with the model may lack what this work needs.
  return error.code === 'not_supported' && !hasAnswered(runtime, run.offer);
}

/** Whether other items of the model run, or wait to run for the first time, and so show whether the server works. */
function hasOthers(state: WorkerState, { number, offer, runtime }: Run): boolean {
  const others = requestsOn(state, runtime ?? -1).filter((each) => each.number !== number);
  return others.some(({ model }) => model === offer.model) || hasFreshItemFor(state, offer.model);
}

/** Asks a server for one token that has refused the same item before: the item may be to blame. */
function testAtSecondRefusal(before: WorkerState, { task, item, offer, runtime: index }: Run): Change {
  return (state) => {
    const lease = taskOf(before, task)?.lease;
    const runtime = index === null ? undefined : state.runtimes[index];
    if (lease === undefined || index === null || runtime === undefined) return nothing(state);
    const isSecond = recordOf(before, index, recordName(lease.task_id, item)) !== null;
    const canTest = runtime.control.remote && offer.job_type === 'chat' && !runtime.testing;
    return isSecond && canTest ? startTest(index, offer.model)(state) : nothing(state);
  };
}
