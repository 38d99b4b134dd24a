import type { EntryReply, LeaseName } from '@macbatch/contract';
import { type Change, emit, forEach, inOrder, log, nothing, set } from './change.ts';
import type { EventOf } from './event.ts';
import { fillSlots } from './fill-slots.ts';
import { leaseKey } from './lease-key.ts';
import { loseLease, skipRecorded } from './leave-task.ts';
import { countThatFit } from './report-batch.ts';
import { finalEntry, isSilent, needsRelease, partialEntry, releaseOf, reportableOf } from './reportable.ts';
import { addOnce, isFormerReported, queuedReportable, reportBy } from './reports.ts';
import {
  isEnded,
  type PartialReport,
  type QueuedReport,
  type Reports,
  taskOf,
  type WorkerState,
  withTask,
} from './worker-state.ts';

/** Sends one report: the last reports of ended tasks, and new outcomes of running tasks, up to the size limit. */
export function reportDue({ now }: EventOf<'report_due'>): Change {
  return (state) => {
    const { waiting, partial, sending } = state.reports;
    if (sending !== null) return nothing(state);
    const batch = takeWaiting(state);
    const taken = takePartial(state);
    const all = batch.length === waiting.length && taken.length === partial.length;
    const parts = partsOf(state, taken);
    const ended = batch.flatMap((report) => queuedReportable(state, report) ?? []);
    const entries = [
      ...ended.filter((task) => !isSilent(task)).map(finalEntry),
      ...parts.map(({ entry }) => entry),
    ];
    const releases = ended.filter(needsRelease).map(releaseOf);
    return inOrder(
      setReports({
        partial: partial.slice(taken.length),
        // Sends what did not fit immediately afterwards.
        dueAt: all ? null : now,
        sending: { waiting: batch, partial: parts.map(({ task, upTo }) => ({ task, upTo })) },
      }),
      entries.length + releases.length > 0
        ? emit({ kind: 'send_report', entries, releases })
        : acknowledge(new Map(), now),
    )(state);
  };
}

/** Handles the answer to a report: marks everything that was sent as acknowledged. */
export function reportAnswered({ replies, now }: EventOf<'report_answered'>): Change {
  return acknowledge(replies, now);
}

/** Handles a failed report: keeps everything that was sent, and sends it again later. */
export function reportFailed({ reason, now }: EventOf<'report_failed'>): Change {
  return (state) => {
    const { sending } = state.reports;
    if (sending === null) return nothing(state);
    const running = sending.partial.filter(({ task: number }) => {
      const task = taskOf(state, number);
      return task !== undefined && !isEnded(state, task);
    });
    const partial = running.reduce((tasks, { task }) => addOnce(tasks, task), state.reports.partial);
    return inOrder(
      setReports({ partial, sending: null }),
      reportBy(now),
      log('report.delayed', { tasks: sending.waiting.length + sending.partial.length, reason }),
    )(state);
  };
}

function acknowledge(replies: ReadonlyMap<string, EntryReply>, now: number): Change {
  return (state) => {
    const { sending } = state.reports;
    if (sending === null) return nothing(state);
    return inOrder(
      setReports({ sending: null }),
      forEach(sending.partial, (part) => acknowledgePart(part, replies, now)),
      set((before) => ({
        ...before,
        reports: {
          ...before.reports,
          waiting: before.reports.waiting.filter((report) => !sending.waiting.includes(report)),
        },
      })),
      forEach(sending.waiting, acknowledgeLast),
    )(state);
  };
}

/** Marks outcomes of a running task as acknowledged. Stops the task, or items of it, if the reply says so. */
function acknowledgePart(
  { task: number, upTo }: PartialReport,
  replies: ReadonlyMap<string, EntryReply>,
  now: number,
): Change {
  return (state) => {
    const task = taskOf(state, number);
    if (task === undefined) return nothing(state);
    const reply = replies.get(leaseKey(task.lease));
    const acknowledged = set((before) => withTask(before, { ...task, acknowledged: upTo }));
    if (reply === undefined || isEnded(state, task)) return acknowledged(state);
    if (reply.outcome !== 'accepted') {
      // A suspect of the lost task may have kept other items waiting.
      return inOrder(
        acknowledged,
        loseLease(number, reply.code ?? reply.outcome, now),
        fillSlots(now),
      )(state);
    }
    return inOrder(
      acknowledged,
      reply.settled === undefined ? nothing : skipRecorded(number, reply.settled, now),
    )(state);
  };
}

/** Forgets a task whose last report was answered, even if it was refused. */
function acknowledgeLast(report: QueuedReport): Change {
  return (state) => {
    if (report.kind === 'rest') return nothing(state);
    if (report.kind === 'recovered') {
      return inOrder(
        forgetLease(report.reportable.lease),
        isFormerReported(state) ? emit({ kind: 'send_heartbeat' }) : nothing,
      )(state);
    }
    const task = taskOf(state, report.task);
    if (task === undefined) return nothing(state);
    return inOrder(
      set((before) => ({ ...before, tasks: before.tasks.filter(({ number }) => number !== report.task) })),
      forgetLease(task.lease),
    )(state);
  };
}

/**
 * Drops the records of a lease from the outbox, unless outcomes of the same lease still wait: items of a copy may be
 * granted again under the same attempt. In that case the last report of that lease drops all its records.
 */
function forgetLease({ task_id, attempt }: LeaseName): Change {
  return (state) => {
    const key = leaseKey({ task_id, attempt });
    const isHeld = state.tasks.some(({ lease }) => leaseKey(lease) === key);
    const isRecovered = state.reports.waiting.some(
      (report) => report.kind === 'recovered' && leaseKey(report.reportable.lease) === key,
    );
    return isHeld || isRecovered
      ? nothing(state)
      : emit({ kind: 'forget_lease', lease: { task_id, attempt } })(state);
  };
}

function takeWaiting(state: WorkerState): readonly QueuedReport[] {
  const { waiting } = state.reports;
  return waiting.slice(0, countThatFit(waiting.flatMap((report) => queuedReportable(state, report) ?? [])));
}

function takePartial(state: WorkerState): readonly number[] {
  const { partial } = state.reports;
  return partial.slice(
    0,
    countThatFit(partial.flatMap((number) => taskOf(state, number) ?? []).map(reportableOf)),
  );
}

function partsOf(state: WorkerState, taken: readonly number[]) {
  return taken
    .flatMap((number) => taskOf(state, number) ?? [])
    .filter(({ outcomes, acknowledged }) => outcomes.length > acknowledged)
    .map((task) => ({
      task: task.number,
      upTo: task.outcomes.length,
      entry: partialEntry(reportableOf(task)),
    }));
}

function setReports(changed: Partial<Reports>): Change {
  return set((state) => ({ ...state, reports: { ...state.reports, ...changed } }));
}
