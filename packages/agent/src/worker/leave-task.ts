import { type Change, emit, forEach, inOrder, log, nothing, set } from './change.ts';
import { fillSlots } from './fill-slots.ts';
import { close, isStartable, leaveOutRecorded } from './held-task.ts';
import { unstartedRest } from './reportable.ts';
import { flush, queueReport, queueTaskNow } from './reports.ts';
import { isEnded, type Run, taskOf, withTask } from './worker-state.ts';

/**
 * Starts nothing more of a task whose lease the control plane has taken back. Finished outcomes are still reported.
 * After `lease_lost`, running items may end, because their results are still accepted (T9). After any other code the
 * control plane would refuse them, so they are aborted.
 */
export function loseLease(number: number, code: string, now: number): Change {
  return (state) => {
    const task = taskOf(state, number);
    if (task === undefined) return nothing(state);
    const { task_id, attempt } = task.lease;
    return inOrder(
      log('lease.lost', { task_id, attempt, code }),
      set((before) => withTask(before, { ...task, lost: true })),
      leaveTask(number, now),
      code === 'lease_lost'
        ? nothing
        : abortRuns((run) => run.task === number, 'the work is no longer wanted'),
      // Sent before the task is leased again, so that its finished items do not run twice.
      flush(now),
    )(state);
  };
}

/**
 * Starts no more items of a task. Running items may end. The unstarted rest is handed back immediately and not when
 * they end: their outcomes are accepted even from a lease that is no longer held (T9).
 */
export function leaveTask(number: number, now: number): Change {
  return (state) => {
    const task = taskOf(state, number);
    if (task === undefined) return nothing(state);
    const closed = close(task);
    if (!isStartable(task)) return { state: withTask(state, closed), effects: [] };
    const left = { ...closed, handBack: true };
    if (isEnded(state, left)) {
      return inOrder(
        set((before) => withTask(before, left)),
        queueTaskNow(left, now),
      )(state);
    }
    if (left.lost) return { state: withTask(state, left), effects: [] };
    return inOrder(
      set((before) => withTask(before, { ...left, lost: true })),
      queueReport({ kind: 'rest', reportable: unstartedRest(left) }, now),
    )(state);
  };
}

/** Leaves a task whose items the model server rejects, so that another worker runs them, if there is one. */
export function leaveRejected(number: number, now: number): Change {
  return inOrder(
    (state) => {
      const task = taskOf(state, number);
      // A control plane that does not say whether there is another worker cannot read a rejection either.
      return task === undefined || task.lease.no_other_worker === undefined
        ? nothing(state)
        : { state: withTask(state, { ...task, rejected: true }), effects: [] };
    },
    leaveTask(number, now),
  );
}

/** Leaves all tasks and sends the finished outcomes. */
export function leaveAllTasks(now: number): Change {
  return (state) =>
    inOrder(
      forEach(state.tasks, ({ number }) => leaveTask(number, now)),
      flush(now),
    )(state);
}

/** Stops work on items that another worker has reported. */
export function skipRecorded(number: number, itemIds: readonly string[], now: number): Change {
  return (state) => {
    const task = taskOf(state, number);
    if (task === undefined || isEnded(state, task)) return nothing(state);
    const left = leaveOutRecorded(task, itemIds);
    return inOrder(
      set((before) => withTask(before, left)),
      abortRuns(
        (run) => run.task === number && left.recordedElsewhere.has(run.item.item_id),
        'another worker has reported the item',
      ),
      isEnded(state, left) ? queueTaskNow(left, now) : nothing,
      fillSlots(now),
    )(state);
  };
}

/** Aborts running items. Those that are being saved have ended already. */
export function abortRuns(which: (run: Run) => boolean, reason: string): Change {
  return (state) =>
    emit(
      ...state.runs
        .filter((run) => run.saving === null && which(run))
        .map((run) => ({ kind: 'abort_item' as const, run: run.number, reason })),
    )(state);
}
