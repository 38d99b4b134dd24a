import type { Happening } from '../worker/event.ts';
import { leaseKey } from '../worker/lease-key.ts';
import {
  abortedRun,
  admitted,
  answerTo,
  crashed,
  failed,
  LEASE_MS,
  leased,
  leaseOf,
  type Machine,
  machine,
  notHere,
  succeed,
  succeeded,
  T0,
} from './worker-fixture.ts';

/** Returns a worker with two slots that holds task 7 with `items` items. */
function holding(items: number): Machine {
  const worker = admitted();
  worker.take(leased(leaseOf('7', items)));
  return worker;
}

/** Returns a worker that released its task and withdrew the offer, because the model server does not have the model. */
function withdrawn(): Machine {
  const worker = admitted();
  worker.take(leased(leaseOf('7', 1)));
  const withdraws = { reach: 'offer', until: 'probe' } as const;
  const error = { code: 'model_not_found', message: 'no such model' };
  worker.take({ kind: 'item_ended', run: worker.runOf('7a'), end: { kind: 'not_here', error, withdraws } });
  worker.take({ kind: 'report_due' });
  worker.take({ kind: 'report_answered', replies: new Map() });
  return worker;
}

const rejected = (run: number) =>
  failed(run, 'not valid', {
    failure: 'rejected',
    error: { code: 'invalid_request', message: 'not valid' },
  });

/** Returns a worker whose server has rejected the three items of task 7, and that tries one of them again. */
function rejecting(): Machine {
  const worker = admitted({ slots: 3 });
  worker.take(leased(leaseOf('7', 3, { no_other_worker: false })));
  for (const id of ['7a', '7b', '7c']) worker.take(rejected(worker.runOf(id)));
  worker.take({ kind: 'time_passed' }, T0 + 3000);
  return worker;
}

const after = (worker: Machine, ...make: ((worker: Machine) => unknown)[]): Machine => {
  for (const each of make) each(worker);
  return worker;
};

/** States of a worker, each reached by events. */
export const STATES: Readonly<Record<string, () => Machine>> = {
  'not yet admitted': () => machine(),
  'restarted, former boots unreleased': () =>
    after(machine({ hasFormerBoots: true }), (w) => w.take(answerTo(w.state))),
  'recovering 6': () =>
    after(
      machine(),
      (w) => w.take(answerTo(w.state)),
      (w) =>
        w.take({
          kind: 'outbox_read',
          recovered: [{ task_id: '6', attempt: 1, items: 2, outcomes: [{ item_id: '6a', output: '1' }] }],
        }),
    ),
  '6 being sent': () => after(STATES['recovering 6']?.() ?? machine(), (w) => w.take({ kind: 'report_due' })),
  idle: () => admitted(),
  'idle, outbox full': () => after(admitted(), (w) => w.take({ kind: 'outbox_writable', writable: false })),
  'chat withdrawn': () => withdrawn(),
  'chat being probed': () => after(withdrawn(), (w) => w.take({ kind: 'model_swapped' }, T0 + 60_000)),
  'runs 7a 7b, 7c waits': () => holding(3),
  'runs 7a 7b': () => holding(2),
  'probes with 7a, whose server rejects all': () => rejecting(),
  'saves 7a, runs 7b, 7c waits': () => after(holding(3), (w) => w.take(succeeded(w.runOf('7a'), '7a'))),
  '7a done, runs 7b 7c': () => after(holding(3), (w) => succeed(w, '7a')),
  '7a being sent, runs 7b 7c': () =>
    after(
      holding(3),
      (w) => succeed(w, '7a'),
      (w) => w.take({ kind: 'report_due' }),
    ),
  '7 being sent': () =>
    after(
      holding(2),
      (w) => succeed(w, '7a'),
      (w) => succeed(w, '7b'),
      (w) => w.take({ kind: 'report_due' }),
    ),
  'runs 7b, suspect 7a waits': () => after(holding(2), (w) => w.take(crashed(w.runOf('7a')))),
  'runs suspect 7a alone, 7b waits': () =>
    after(
      holding(2),
      (w) => w.take(crashed(w.runOf('7a'))),
      (w) => w.take(crashed(w.runOf('7b'))),
    ),
  '7 lost with 7a unreported, runs 7b': () =>
    after(
      holding(2),
      (w) => succeed(w, '7a'),
      (w) => w.take(answerTo(w.state, { lost: [{ task_id: '7', attempt: 1, code: 'lease_lost' }] })),
    ),
  'paused by a rule, runs 7a 7b': () =>
    after(holding(3), (w) => w.take({ kind: 'own_pause', pause: OWN_PAUSE })),
  'draining, runs 7a 7b': () => after(holding(3), (w) => w.take({ kind: 'drain' })),
};

const OWN_PAUSE = { rule: 'on_battery', reason: 'on battery' };

const firstRun = ({ state }: Machine) => state.runs.find(({ saving }) => saving === null);
const itemEvent = (make: (run: number, itemId: string) => Happening) => (worker: Machine) => {
  const run = firstRun(worker);
  return run === undefined ? null : make(run.number, run.item.item_id);
};
const replies = (outcome: 'accepted' | 'refused') => (worker: Machine) => {
  const { sending } = worker.state.reports;
  if (sending === null) return null;
  const code = outcome === 'refused' ? { code: 'job_cancelled' as const } : {};
  const entries = worker.state.tasks.map(({ lease: { task_id, attempt } }) => ({
    task_id,
    attempt,
    outcome,
    task_status: null,
    ...code,
  }));
  return {
    kind: 'report_answered',
    replies: new Map(entries.map((entry) => [leaseKey(entry), entry])),
  } as const;
};

const probed = (works: boolean) => (worker: Machine) => {
  if (worker.state.runtimes[0]?.probing !== true) return null;
  const offer = { job_type: 'chat', model: 'm' } as const;
  return { kind: 'offers_probed', runtime: 0, results: [{ offer, code: 'model_not_found', works }] } as const;
};

/** The time at which the event happens. */
export function timeOf(event: string): number {
  if (event.endsWith('after a sleep')) return T0 + 2 * LEASE_MS;
  return event.endsWith('a minute later') || event.startsWith('probe') ? T0 + 60_000 : T0;
}

/** Builds each event for a worker's state. Null if the event cannot happen in that state. */
export const EVENTS: Readonly<Record<string, (worker: Machine) => Happening | null>> = {
  'lease 8': () => leased(leaseOf('8', 2)),
  'heartbeat answered': ({ state }) => answerTo(state),
  'answered: 7 lost': ({ state }) =>
    answerTo(state, { lost: [{ task_id: '7', attempt: 1, code: 'lease_lost' }] }),
  'answered: 7 cancelled': ({ state }) =>
    answerTo(state, { lost: [{ task_id: '7', attempt: 1, code: 'job_cancelled' }] }),
  'answered: 7b recorded elsewhere': ({ state }) =>
    answerTo(state, { settled: [{ task_id: '7', attempt: 1, item_ids: ['7b'] }] }),
  'heartbeat failed': () => ({ kind: 'heartbeat_failed', reason: 'no answer', idInUse: false }),
  'heartbeat failed: id in use': () => ({ kind: 'heartbeat_failed', reason: 'in use', idInUse: true }),
  'outbox read: empty': ({ state: { admission } }) =>
    admission.deployment !== null && !admission.outboxRead ? { kind: 'outbox_read', recovered: [] } : null,
  'outbox full': () => ({ kind: 'outbox_writable', writable: false }),
  'outbox writable': () => ({ kind: 'outbox_writable', writable: true }),
  'heartbeat answered a minute later': ({ state }) => answerTo(state, {}, T0 + 60_000),
  'probe: chat works': probed(true),
  'probe: chat fails': probed(false),
  'item ok': itemEvent(succeeded),
  'item failed': itemEvent((run) => failed(run)),
  'item rejected': itemEvent(rejected),
  'item not here': itemEvent(notHere),
  'item crashed': itemEvent(crashed),
  'item aborted': itemEvent(abortedRun),
  'outcome saved': ({ state }) => {
    const run = state.runs.find(({ saving }) => saving !== null);
    return run === undefined ? null : { kind: 'outcome_saved', run: run.number };
  },
  'outcome saved after a sleep': ({ state }) => {
    const run = state.runs.find(({ saving }) => saving !== null);
    return run === undefined ? null : { kind: 'outcome_saved', run: run.number };
  },
  'model swapped': () => ({ kind: 'model_swapped' }),
  'report due': () => ({ kind: 'report_due' }),
  'report accepted': replies('accepted'),
  'report refused': replies('refused'),
  'report failed': ({ state }) =>
    state.reports.sending === null ? null : { kind: 'report_failed', reason: 'no answer' },
  'paused by a rule': () => ({ kind: 'own_pause', pause: OWN_PAUSE }),
  'own pause over': () => ({ kind: 'own_pause', pause: null }),
  drain: () => ({ kind: 'drain' }),
  'grace time over': () => ({ kind: 'grace_over' }),
  'force quit': () => ({ kind: 'force_quit' }),
};
