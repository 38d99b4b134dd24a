import type { Step } from '../worker/change.ts';
import type { Effect } from '../worker/effect.ts';
import type { HeldTask } from '../worker/held-task.ts';
import type { QueuedReport, WorkerState } from '../worker/worker-state.ts';
import { T0 } from './worker-fixture.ts';

/** Describes the changes and effects of a step in words; `nothing` if there are none. */
export function describeStep(before: WorkerState, { state, effects }: Step, now = T0): string {
  const words = [
    ...lifeChanges(before, state),
    ...taskChanges(before, state),
    ...reportChanges(before, state, now),
    ...effects.flatMap((effect) => effectWords(effect, state)),
  ];
  return words.length === 0 ? 'nothing' : words.join(', ');
}

function lifeChanges(before: WorkerState, after: WorkerState): string[] {
  const { admission: was } = before;
  const { admission: is } = after;
  return [
    ...(is.admitted === was.admitted ? [] : [is.admitted ? 'admitted' : 'no longer admitted']),
    ...(is.formerBootsHold === was.formerBootsHold ? [] : ['former boots returned']),
    ...(after.heartbeat.missed && !before.heartbeat.missed ? ['a heartbeat missed'] : []),
    ...(after.outboxWritable === before.outboxWritable
      ? []
      : [after.outboxWritable ? 'outbox writable' : 'outbox full']),
    ...after.withdrawals
      .filter((each) => !before.withdrawals.includes(each))
      .map(({ offer, active }) => `${active ? 'withdraw' : 'offer'} ${offer.job_type}`),
  ];
}

function taskChanges(before: WorkerState, after: WorkerState): string[] {
  const was = new Map(before.tasks.map((task) => [task.number, task]));
  const is = new Set(after.tasks.map(({ number }) => number));
  return [
    ...after.tasks.flatMap((task) => {
      const known = was.get(task.number);
      return known === undefined ? [`hold ${task.lease.task_id}`] : flagChanges(known, task);
    }),
    ...before.tasks.filter(({ number }) => !is.has(number)).map(({ lease }) => `forget ${lease.task_id}`),
  ];
}

function flagChanges(was: HeldTask, is: HeldTask): string[] {
  const name = is.lease.task_id;
  const suspects = is.suspectIds.filter((id) => !was.suspectIds.includes(id));
  return [
    ...(is.lost && !was.lost ? [`${name} lost`] : []),
    ...(is.closed && !was.closed ? [`${name} closed`] : []),
    ...(is.handBack && !was.handBack ? [`${name} handed back`] : []),
    ...(is.error !== null && was.error === null ? [`${name} has an error`] : []),
    ...(is.possiblyExpired === was.possiblyExpired
      ? []
      : [`${name} ${is.possiblyExpired ? 'possibly expired' : 'trusted again'}`]),
    ...is.retries.filter((item) => !was.retries.includes(item)).map(({ item_id }) => `retry ${item_id}`),
    ...suspects.map((id) => `suspect ${id}`),
    ...is.outcomes.slice(was.outcomes.length).map(({ item_id }) => `outcome of ${item_id}`),
    ...(is.acknowledged === was.acknowledged ? [] : [`${name} acknowledged up to ${is.acknowledged}`]),
    ...[...is.recordedElsewhere].filter((id) => !was.recordedElsewhere.has(id)).map((id) => `skip ${id}`),
  ];
}

function reportChanges(before: WorkerState, after: WorkerState, now: number): string[] {
  const { dueAt } = after.reports;
  return [
    ...after.reports.waiting
      .filter((report) => !before.reports.waiting.includes(report))
      .map((report) => `queue ${nameOf(report, after)}`),
    ...after.reports.partial
      .filter((task) => !before.reports.partial.includes(task))
      .map((task) => `note ${nameOf({ kind: 'task', task }, after)}`),
    ...(dueAt === null || dueAt === before.reports.dueAt
      ? []
      : [dueAt <= now ? 'report now' : `report in ${(dueAt - now) / 1000} s`]),
  ];
}

function nameOf(report: QueuedReport, state: WorkerState): string {
  if (report.kind === 'rest') return `the rest of ${report.reportable.lease.task_id}`;
  if (report.kind === 'recovered') return `recovered ${report.reportable.lease.task_id}`;
  const task = state.tasks.find(({ number }) => number === report.task);
  return task === undefined ? 'an unknown task' : task.lease.task_id;
}

function effectWords(effect: Effect, { runs }: WorkerState): string[] {
  const itemOf = (run: number) => runs.find(({ number }) => number === run)?.item.item_id ?? `run ${run}`;
  switch (effect.kind) {
    case 'start_item':
      return [`start ${effect.item.item_id}${effect.alone ? ' alone' : ''}`];
    case 'abort_item':
      return [`abort ${itemOf(effect.run)}`];
    case 'save_outcome':
      return [`save ${effect.outcome.item_id}`];
    case 'send_report': {
      const entries = effect.entries.map(
        ({ task_id, outcomes, final, error }) =>
          `${task_id}: ${outcomes.length}${final ? ' final' : ''}${error === undefined ? '' : ' error'}`,
      );
      const releases = effect.releases.map(({ task_id }) => `release ${task_id}`);
      return [`send [${[...entries, ...releases].join('; ')}]`];
    }
    case 'send_heartbeat':
      return ['heartbeat'];
    case 'stop_asking':
      return ['stop asking'];
    case 'ask_for_work':
      return ['ask for work'];
    case 'probe_offers':
      return [`probe ${effect.offers.map(({ offer }) => offer.job_type).join(' and ')}`];
    case 'test_server':
      return [`test ${effect.model}`];
    case 'ask_slots':
      return [`ask for the slots of ${effect.model}`];
    case 'read_outbox':
      return ['read the outbox'];
    case 'work_ended':
      return ['work ended'];
    case 'wake_at':
    case 'save_lease':
    case 'forget_lease':
    case 'report_at':
    case 'log':
      // They follow from the changes.
      return [];
  }
}
