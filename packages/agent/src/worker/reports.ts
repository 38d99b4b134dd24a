import { type Change, inOrder, set } from './change.ts';
import type { HeldTask } from './held-task.ts';
import { isComplete, type Reportable, reportableOf } from './reportable.ts';
import { type QueuedReport, taskOf, type WorkerState } from './worker-state.ts';

/** Queues the last report of a task. A report of a complete task may wait, to be sent together with others. */
export function queueTask(task: HeldTask, now: number): Change {
  return (state) => {
    const complete = isComplete(reportableOf(task));
    return queueReport(
      { kind: 'task', task: task.number },
      now + (complete ? state.settings.reportMs : 0),
    )(state);
  };
}

/** Queues the last report of a task as due now, because other workers can then get its remaining items. */
export function queueTaskNow(task: HeldTask, now: number): Change {
  return queueReport({ kind: 'task', task: task.number }, now);
}

/** Queues a report that is due at `dueAt`. */
export function queueReport(report: QueuedReport, dueAt: number): Change {
  return inOrder(
    set((state) => ({
      ...state,
      reports: {
        ...state.reports,
        waiting: [...state.reports.waiting, report],
        partial: state.reports.partial.filter((task) => report.kind !== 'task' || task !== report.task),
      },
    })),
    reportBy(dueAt),
  );
}

/** Notes a new outcome of a task that still runs. It waits for others, but not for long. */
export function noteOutcome(task: HeldTask, now: number): Change {
  return (state) =>
    inOrder(
      set((before) => ({
        ...before,
        reports: {
          ...before.reports,
          partial: addOnce(before.reports.partial, task.number),
        },
      })),
      reportBy(now + state.settings.reportMs),
    )(state);
}

/** Adds a task's number to a list of task numbers, unless the list has it already. */
export function addOnce(tasks: readonly number[], task: number): readonly number[] {
  return tasks.includes(task) ? tasks : [...tasks, task];
}

/** Sends everything that waits as soon as possible: it may end a job, or spare another worker from running it. */
export function flush(now: number): Change {
  return (state) => {
    const { waiting, partial } = state.reports;
    return waiting.length > 0 || partial.length > 0 ? reportBy(now)(state) : { state, effects: [] };
  };
}

/** Moves the next report to an earlier time, never to a later one. */
export function reportBy(dueAt: number): Change {
  return (state) => {
    const { dueAt: before } = state.reports;
    if (before !== null && before <= dueAt) return { state, effects: [] };
    return {
      state: { ...state, reports: { ...state.reports, dueAt } },
      effects: [{ kind: 'report_at', at: dueAt }],
    };
  };
}

/** What a queued report is about. */
export function queuedReportable(state: WorkerState, report: QueuedReport): Reportable | null {
  if (report.kind !== 'task') return report.reportable;
  const task = taskOf(state, report.task);
  return task === undefined ? null : reportableOf(task);
}

/** Whether everything that earlier processes finished is acknowledged. */
export function isFormerReported({ reports, admission }: WorkerState): boolean {
  return admission.outboxRead && reports.waiting.every(({ kind }) => kind !== 'recovered');
}

/** Returns the time until the next report, in milliseconds; null while there is nothing to send. */
export function reportWaitMs({ reports: { dueAt } }: WorkerState, now: number): number | null {
  return dueAt === null ? null : Math.max(0, dueAt - now);
}
