import { type Change, inOrder, log, nothing, set } from './change.ts';
import {
  controlAnswered,
  controlClosed,
  controlIdle,
  controlModelClosed,
  type EndpointControl,
  laneOf,
  withLane,
} from './endpoint-control.ts';
import {
  endpointRun,
  keepRecord,
  recordName,
  recordOf,
  rememberAnswer,
  requestsOn,
  withControl,
} from './endpoint-runs.ts';
import type { Closing, Gate } from './gate.ts';
import { openedBy } from './gate.ts';
import type { LeasedItem } from './held-task.ts';
import type { FailedEnd } from './item-end.ts';
import { type Blamed, judgeRun } from './item-record.ts';
import { laneAbandoned, laneReduced } from './lane.ts';
import { testIfUnclear } from './start-test.ts';
import type { Verdict } from './verdict.ts';
import { type Run, taskOf, type WorkerState } from './worker-state.ts';

/** Notes whether the run was the last request on its runtime. */
export function noteIdle(run: Run, now: number): Change {
  return (state) =>
    requestsOn(state, run.runtime ?? -1).some(({ number }) => number !== run.number)
      ? nothing(state)
      : withControl(run.runtime, (control) => controlIdle(control, now))(state);
}

/** Counts the answer to a run. `units`: how much work its output was; null if the server did not run it to its end. */
export function noteAnswer(run: Run, units: number | null, now: number): Change {
  return (state) => {
    const running = requestsOn(state, run.runtime ?? -1).filter(({ model }) => model === run.offer.model);
    return inOrder(
      withControl(run.runtime, (control) =>
        units !== null
          ? controlAnswered(control, { ...endpointRun(run), units }, running.length, now)
          : // A refused request says that the server answers, and nothing about its generations.
            { ...control, gate: openedBy(control.gate, run.startedAt) },
      ),
      units !== null ? rememberAnswer(run) : nothing,
      logOpened(state, run),
    )(state);
  };
}

/** Assumes that the server continues an aborted request for as long as the slowest request took so far. */
export function noteAbort(run: Run, now: number): Change {
  return withControl(run.runtime, (control) => {
    if (!control.remote) return control;
    const lane = laneOf(control, run.offer.model);
    const until = run.startedAt + lane.slowestMs;
    return until <= now ? control : withLane(control, laneAbandoned(lane, run.number, until));
  });
}

/** Closes the endpoint because it accepts no requests. The item has not run, so it is not charged. */
export function closeEndpoint(run: Run, end: FailedEnd, now: number): Change {
  return (state) => {
    const closing = closingOf(run, end);
    const { pauses } = state.settings;
    return inOrder(
      withControl(run.runtime, (control) => {
        if (end.error.code === 'model_loading')
          return controlModelClosed(control, run.offer.model, closing, pauses, now);
        const reduced = end.error.code === 'server_busy' ? reducedBy(state, run, now)(control) : control;
        return controlClosed(reduced, closing, pauses, now);
      }),
      logClosed(state, run),
    )(state);
  };
}

/** Decides what a failed run means for its item and its endpoint, and hands the verdict to `carryOut`. */
export function judgeFailedRun(
  run: Run,
  item: LeasedItem,
  end: Omit<FailedEnd, 'kind' | 'failure' | 'retryAfterMs'> & { readonly failure: Blamed },
  now: number,
  carryOut: (verdict: Verdict) => Change,
): Change {
  return (state) => {
    const task = taskOf(state, run.task);
    const control = run.runtime === null ? undefined : state.runtimes[run.runtime]?.control;
    if (task === undefined || control === undefined) return carryOut('failed')(state);
    const { pauses } = state.settings;
    const name = recordName(task.lease.task_id, item);
    const { verdict, record, lane } = judgeRun(
      { kind: end.failure, bytesArrived: end.bytesArrived },
      { name, number: run.number, answeredBefore: run.answeredBefore, alone: run.aloneOnRuntime },
      recordOf(state, run.runtime, name),
      laneOf(control, run.offer.model),
      { now, jitter: end.jitter, pauses, lastStarted: state.nextNumber - 1 },
    );
    const isLoad = end.failure === 'overload' || (end.failure === 'timeout' && verdict === 'again');
    return inOrder(
      withControl(run.runtime, (before) => withLane(before, lane)),
      isLoad ? withControl(run.runtime, reducedBy(state, run, now)) : nothing,
      end.failure === 'timeout' && control.remote
        ? withControl(run.runtime, (before) =>
            // The server may need as long again.
            withLane(
              before,
              laneAbandoned(laneOf(before, run.offer.model), run.number, now + (now - run.startedAt)),
            ),
          )
        : nothing,
      keepRecord(run.runtime, record),
      verdict === 'server' && end.failure !== 'not_here'
        ? withControl(run.runtime, (before) =>
            controlModelClosed(
              before,
              run.offer.model,
              { ...closingOf(run, end), hasAnswered: lane.answered > 0 },
              pauses,
              now,
            ),
          )
        : nothing,
      log('item.failed', {
        task_id: task.lease.task_id,
        item_id: item.item_id,
        tries: record.tries,
        alone: run.aloneOnRuntime,
        verdict,
        code: end.error.code,
        reason: end.error.message,
      }),
      logClosed(state, run),
      verdict === 'again' && (end.failure === 'interrupted' || end.failure === 'transient')
        ? testIfUnclear(run, record)
        : nothing,
      carryOut(verdict),
    )(state);
  };
}

/** Why a run closes the gate of its endpoint. */
export function closingOf(
  run: Run,
  end: Pick<FailedEnd, 'error' | 'jitter'> & Partial<Pick<FailedEnd, 'retryAfterMs'>>,
): Closing {
  const { error, jitter, retryAfterMs = null } = end;
  return { error, jitter, retryAfterMs, startedAt: run.startedAt };
}

function reducedBy(state: WorkerState, run: Run, now: number): (control: EndpointControl) => EndpointControl {
  const running = requestsOn(state, run.runtime ?? -1).filter(({ model }) => model === run.offer.model);
  return (control) =>
    withLane(control, laneReduced(laneOf(control, run.offer.model), run, running.length, now));
}

/** The gates that a run has to pass. */
function gatesOf(state: WorkerState, { runtime, offer }: Pick<Run, 'runtime' | 'offer'>): readonly Gate[] {
  const control = runtime === null ? undefined : state.runtimes[runtime]?.control;
  if (control === undefined) return [];
  return [control.gate, laneOf(control, offer.model).gate].filter((gate) => gate !== null);
}

/** Logs a gate that was closed since the state before, with the server's words. */
export function logClosed(before: WorkerState, run: Run): Change {
  return (state) => {
    const known = gatesOf(before, run);
    const gate = gatesOf(state, run).find(
      (each) => !known.some(({ closedAt, since }) => closedAt === each.closedAt && since === each.since),
    );
    if (gate === undefined) return nothing(state);
    const { model } = run.offer;
    const { code, message } = gate.error;
    return log('endpoint.waits', {
      endpoint: nameOf(state, run),
      model,
      code,
      reason: message,
      tries: gate.closings,
      next_try_ms: Math.round(gate.until - gate.closedAt),
      waiting_ms: gate.closedAt - gate.since,
    })(state);
  };
}

/** Logs that the gates of a model on a runtime have opened since the state before. */
export function logOpened(before: WorkerState, run: Pick<Run, 'runtime' | 'offer'>): Change {
  return (state) => {
    const [was] = gatesOf(before, run);
    if (was === undefined || gatesOf(state, run).length > 0) return nothing(state);
    return log('endpoint.works', {
      endpoint: nameOf(state, run),
      model: run.offer.model,
      code: was.error.code,
    })(state);
  };
}

function nameOf({ runtimes }: WorkerState, { runtime }: Pick<Run, 'runtime'>): string | null {
  return runtime === null ? null : (runtimes[runtime]?.name ?? null);
}

/** Opens the gates of a runtime that are about reaching it, because it was reached. */
export function reached(runtime: number, isAbout: (gate: Gate) => boolean): Change {
  return set((state) => ({
    ...state,
    runtimes: state.runtimes.map((each, index) => {
      if (index !== runtime) return each;
      const opened = (gate: Gate | null) => (gate !== null && isAbout(gate) ? null : gate);
      const { control } = each;
      return {
        ...each,
        control: {
          ...control,
          gate: opened(control.gate),
          lanes: control.lanes.map((lane) => ({ ...lane, gate: opened(lane.gate) })),
        },
      };
    }),
  }));
}
