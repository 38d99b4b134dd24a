import type { ItemError } from '@macbatch/contract';
import { type Change, emit, inOrder, log, nothing, set } from './change.ts';
import { forgetRecord, recordName } from './endpoint-runs.ts';
import { closeEndpoint, judgeFailedRun, noteAbort, noteAnswer, noteIdle } from './endpoint-trouble.ts';
import type { EventOf } from './event.ts';
import { fillSlots } from './fill-slots.ts';
import { addFailure, addOutcome, addRetry, addSuspect, close, offerOf } from './held-task.ts';
import type { FailedEnd, ItemEnd, NotHereEnd } from './item-end.ts';
import { judgeRefusedRun } from './judge-refused-run.ts';
import { judgeRejectedRun } from './judge-rejected-run.ts';
import { leaseNameOf } from './lease-key.ts';
import { leaveRejected } from './leave-task.ts';
import { type CrashVerdict, countCrash, countSuccess, type Quarantine } from './quarantine.ts';
import { noteOutcome, queueTask } from './reports.ts';
import type { Verdict } from './verdict.ts';
import { withdrawFailed } from './withdraw-failed.ts';
import { forgetFailures } from './withdrawals.ts';
import { workOf } from './work-of.ts';
import { isEnded, type Run, taskOf, type WorkerState, withTask } from './worker-state.ts';

/**
 * Handles the end of an item's run. W6: an item with an outcome keeps its slot until the outcome is in the outbox. Every
 * other end frees the slot immediately.
 */
export function endItem({ run: number, end, now }: EventOf<'item_ended'>): Change {
  return (state) => {
    const run = state.runs.find((each) => each.number === number && each.saving === null);
    if (run === undefined) return nothing(state);
    return inOrder(noteIdle(run, now), handleEnd(run, end, now))(state);
  };
}

function handleEnd(run: Run, end: ItemEnd, now: number): Change {
  switch (end.kind) {
    case 'crashed':
      return judgeCrash(run, end, now);
    case 'outcome':
      // After an answer, the endpoint may have room for another item, which starts in another slot.
      return inOrder(noteAnswer(run, workOf(end.outcome), now), saveOutcome(run, end), fillSlots(now));
    case 'failed':
      return noteFailure(run, end, now);
    case 'not_here':
      return noteNotHere(run, end, now);
    case 'aborted':
      return inOrder(noteAbort(run, now), freeSlot(run, end, now));
  }
}

function noteFailure(run: Run, end: FailedEnd, now: number): Change {
  const { failure, error } = end;
  if (failure === 'rejected') {
    return inOrder(
      noteAnswer(run, null, now),
      judgeRejectedRun(run, end, now, (verdict) => carryOutBlame(run, verdict, error, now)),
    );
  }
  if (failure === 'wait') return inOrder(closeEndpoint(run, end, now), runAgain(run, now));
  return judgeFailedRun(run, run.item, { ...end, failure }, now, (verdict) =>
    carryOutBlame(run, verdict, error, now),
  );
}

function noteNotHere(run: Run, end: NotHereEnd, now: number): Change {
  return judgeRefusedRun(run, end, now, (verdict) => {
    switch (verdict) {
      case 'withdraw':
        return freeSlot(run, end, now);
      case 'rejected': {
        const failed = { failure: 'rejected', retryAfterMs: null, bytesArrived: false, jitter: 0 } as const;
        return noteFailure(run, { kind: 'failed', error: end.error, ...failed }, now);
      }
      default:
        return carryOutBlame(run, verdict, end.error, now);
    }
  });
}

function carryOutBlame(run: Run, verdict: Verdict, error: ItemError, now: number): Change {
  switch (verdict) {
    case 'again':
    case 'server':
      return runAgain(run, now);
    case 'failed':
      return freeSlot(run, { kind: 'not_again', error }, now);
    case 'task_failed':
      return freeSlot(run, { kind: 'none_again', error }, now);
    case 'left_to_others':
      return inOrder(leaveRejected(run.task, now), runAgain(run, now));
    case 'item_error':
      return inOrder(
        saveOutcome(run, { kind: 'outcome', outcome: { item_id: run.item.item_id, error } }),
        fillSlots(now),
      );
  }
}

/** Puts the item back, to run again when its endpoint has room. */
function runAgain(run: Run, now: number): Change {
  return (state) => {
    const task = taskOf(state, run.task);
    if (task === undefined) return nothing(state);
    if (task.recordedElsewhere.has(run.item.item_id)) return freeSlot(run, null, now)(state);
    if (task.closed) return freeSlot(run, task.error === null ? { kind: 'aborted' } : null, now)(state);
    return inOrder(
      set((before) =>
        withTask(
          before,
          run.suspicion === null
            ? addRetry(task, run.item)
            : addSuspect(task, { item: run.item, suspicion: run.suspicion }),
        ),
      ),
      freeSlot(run, null, now),
    )(state);
  };
}

/** Counts an outcome that the outbox has saved, and frees its slot. */
export function outcomeSaved({ run: number, now }: EventOf<'outcome_saved'>): Change {
  return (state) => {
    const run = state.runs.find((each) => each.number === number);
    if (run === undefined || run.saving === null) return nothing(state);
    return freeSlot(run, { kind: 'outcome', outcome: run.saving }, now)(state);
  };
}

function saveOutcome(run: Run, { outcome }: Extract<ItemEnd, { readonly kind: 'outcome' }>): Change {
  return (state) => {
    const task = taskOf(state, run.task);
    if (task === undefined) return nothing(state);
    return inOrder(
      'output' in outcome ? withQuarantine(run, countSuccess) : nothing,
      set((before) => ({
        ...before,
        runs: before.runs.map((each) => (each.number === run.number ? { ...each, saving: outcome } : each)),
      })),
      emit({ kind: 'save_outcome', run: run.number, lease: leaseNameOf(task.lease), outcome }),
    )(state);
  };
}

/** Decides whether the item is to blame for a crash, and runs it again alone while that is not certain. */
function judgeCrash(run: Run, end: Extract<ItemEnd, { readonly kind: 'crashed' }>, now: number): Change {
  return (state) => {
    const task = taskOf(state, run.task);
    const runtime = run.runtime === null ? undefined : state.runtimes[run.runtime];
    if (task === undefined) return nothing(state);
    if (runtime === undefined) return freeSlot(run, { kind: 'not_here', error: end.error }, now)(state);
    const { task_id, attempt } = task.lease;
    const { item_id } = run.item;
    // Item ids are unique within a job only, and a task belongs to one job.
    const name = `${task_id}/${item_id}`;
    const { quarantine, verdict } = countCrash(runtime.quarantine, name, run.alone, run.suspicion);
    return inOrder(
      withQuarantine(run, () => quarantine),
      log('runtime.crashed', {
        task_id,
        attempt,
        item_id,
        alone: run.alone,
        verdict: verdict.kind,
        reason: end.error.message,
      }),
      carryOutVerdict(run, verdict, end, now),
    )(state);
  };
}

function carryOutVerdict(
  run: Run,
  verdict: CrashVerdict,
  { error }: Extract<ItemEnd, { readonly kind: 'crashed' }>,
  now: number,
): Change {
  switch (verdict.kind) {
    case 'again':
      return runAgainAlone(run, verdict.suspicion, now);
    case 'item_error':
      return saveOutcome(run, { kind: 'outcome', outcome: { item_id: run.item.item_id, error } });
    case 'not_here':
      return freeSlot(run, { kind: 'not_here', error }, now);
  }
}

function runAgainAlone(run: Run, suspicion: NonNullable<Run['suspicion']>, now: number): Change {
  return (state) => {
    const task = taskOf(state, run.task);
    if (task === undefined) return nothing(state);
    const changed = set((before) => withTask(before, addSuspect(task, { item: run.item, suspicion })));
    if (!task.closed) {
      // The heartbeat names the suspect, so that no other worker gets a copy of it.
      return inOrder(changed, emit({ kind: 'send_heartbeat' }), freeSlot(run, null, now))(state);
    }
    return inOrder(changed, freeSlot(run, task.error === null ? { kind: 'aborted' } : null, now))(state);
  };
}

/**
 * How a run ended, after the decision who is to blame.
 * `not_again`: the item failed here. It may succeed on another worker.
 * `none_again`: the same, and no other item of its task starts here any more.
 */
type FinalEnd =
  | Exclude<ItemEnd, { readonly kind: 'crashed' | 'failed' }>
  | { readonly kind: 'not_again' | 'none_again'; readonly error: ItemError };

/** Takes the run out of its slot. `end` is null if nothing is recorded of the run, for example because the item runs again. */
function freeSlot(run: Run, end: FinalEnd | null, now: number): Change {
  return inOrder(
    set((state) => ({ ...state, runs: state.runs.filter((each) => each.number !== run.number) })),
    end === null ? nothing : noteEnd(run, end, now),
    (state) => {
      const task = taskOf(state, run.task);
      if (task === undefined) return nothing(state);
      if (isEnded(state, task)) return queueTask(task, now)(state);
      return end?.kind === 'outcome' ? noteOutcome(task, now)(state) : nothing(state);
    },
    fillSlots(now),
  );
}

function noteEnd(run: Run, end: FinalEnd, now: number): Change {
  return (state) => {
    const task = taskOf(state, run.task);
    if (task === undefined || task.recordedElsewhere.has(run.item.item_id)) return nothing(state);
    switch (end.kind) {
      case 'outcome':
        return inOrder(
          set((before) => withTask(before, addOutcome(task, end.outcome))),
          forgetRecord(recordName(task.lease.task_id, run.item)),
          'output' in end.outcome
            ? set((before) => ({
                ...before,
                withdrawals: forgetFailures(before.withdrawals, offerOf(task), run.runtime),
              }))
            : nothing,
        )(state);
      case 'not_again':
        return { state: withTask(state, addFailure(task, end.error)), effects: [] };
      case 'none_again':
        return { state: withTask(state, close(addFailure(task, end.error))), effects: [] };
      case 'not_here':
        return inOrder(
          log('task.not_here', {
            task_id: task.lease.task_id,
            code: end.error.code,
            reason: end.error.message,
          }),
          withdrawFailed(run, end, now),
          set((before) => withTask(before, close({ ...task, handBack: true }))),
        )(state);
      case 'aborted':
        return { state: withTask(state, { ...task, handBack: true }), effects: [] };
    }
  };
}

function withQuarantine(run: Run, change: (quarantine: Quarantine) => Quarantine): Change {
  return set((state: WorkerState) => ({
    ...state,
    runtimes: state.runtimes.map((runtime, index) =>
      index === run.runtime ? { ...runtime, quarantine: change(runtime.quarantine) } : runtime,
    ),
  }));
}
