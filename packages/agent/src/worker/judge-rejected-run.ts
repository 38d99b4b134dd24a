import { type Change, inOrder, log, nothing } from './change.ts';
import { controlModelClosed, laneOf, withLane } from './endpoint-control.ts';
import { keepRecord, recordName, recordOf, withControl } from './endpoint-runs.ts';
import { closingOf, logClosed } from './endpoint-trouble.ts';
import { hasFreshItemFor } from './fresh-items.ts';
import { REJECTS_ALL } from './gate.ts';
import type { FailedEnd } from './item-end.ts';
import { recordRejected } from './item-record.ts';
import { judgeRejection } from './rejections.ts';
import type { Verdict } from './verdict.ts';
import { type Run, taskOf } from './worker-state.ts';

/** Decides whether a rejection is the item's error or the server's fault, and hands the verdict to `carryOut`. */
export function judgeRejectedRun(
  run: Run,
  end: FailedEnd,
  now: number,
  carryOut: (verdict: Verdict) => Change,
): Change {
  return (state) => {
    const task = taskOf(state, run.task);
    const control = run.runtime === null ? undefined : state.runtimes[run.runtime]?.control;
    if (task === undefined || control === undefined) return carryOut('item_error')(state);
    const { task_id, job_id, attempt, copy, no_other_worker } = task.lease;
    const { pauses } = state.settings;
    const { model } = run.offer;
    const lane = laneOf(control, model);
    const name = recordName(task_id, run.item);
    const record = recordOf(state, run.runtime, name);
    const { verdict, rejections } = judgeRejection(
      lane.rejections,
      lane.answered > 0,
      {
        name,
        taskId: task_id,
        jobId: job_id,
        attempt,
        isCopy: copy,
        noOtherWorker: no_other_worker,
        leaseAgeMs: run.startedAt - task.leasedAt,
        isSecondTime: record?.isRejected === true,
        hasFresh: hasFreshItemFor(state, run.offer.model),
        answeredSince: record !== null && lane.lastAnswered > record.startedAtFailure,
      },
      now,
      pauses,
    );
    if (verdict === 'item_error') {
      // The trouble is over: the server is believed.
      const believed = {
        ...lane,
        rejections,
        gate: lane.gate?.error.code === REJECTS_ALL ? null : lane.gate,
      };
      return inOrder(
        withControl(run.runtime, (before) => withLane(before, believed)),
        carryOut(verdict),
      )(state);
    }
    return inOrder(
      withControl(run.runtime, (before) => withLane(before, { ...lane, rejections })),
      keepRecord(
        run.runtime,
        recordRejected(name, record, { now, pauses, lastStarted: state.nextNumber - 1 }),
      ),
      verdict === 'server' || verdict === 'task_failed'
        ? withControl(run.runtime, (before) =>
            controlModelClosed(
              before,
              model,
              closingOf(run, { ...end, error: suspicion(end, lane.answered > 0) }),
              pauses,
              now,
            ),
          )
        : nothing,
      log('item.failed', {
        task_id,
        item_id: run.item.item_id,
        tries: (record?.tries ?? 0) + 1,
        alone: run.aloneOnRuntime,
        verdict,
        code: end.error.code,
        reason: end.error.message,
      }),
      logClosed(state, run),
      carryOut(verdict),
    )(state);
  };
}

function suspicion({ error }: FailedEnd, hasAnswered: boolean): FailedEnd['error'] {
  const since = hasAnswered ? 'since its last answer' : 'so far and answered none';
  return { code: REJECTS_ALL, message: `it has rejected every item ${since}: ${error.message}` };
}
