import type { EntryReply } from '@macbatch/contract';
import fc from 'fast-check';
import type { Happening } from '../worker/event.ts';
import { type HeartbeatPlan, planHeartbeat } from '../worker/heartbeat-plan.ts';
import type { FailedEnd, ItemEnd } from '../worker/item-end.ts';
import { leaseKey } from '../worker/lease-key.ts';
import type { Run, WorkerState } from '../worker/worker-state.ts';
import { LEASE_MS, leaseOf } from './worker-fixture.ts';

/** A random event. `pick` chooses among the events of its kind that are possible in the state. */
export interface Draw {
  readonly kind: keyof typeof MAKE;
  readonly pick: number;
  readonly passedMs: number;
}

/** A heartbeat that has no answer yet. */
interface Sent {
  readonly plan: HeartbeatPlan;
  readonly sentAt: number;
}

/** What lies outside the worker: the time, leases granted so far, and a heartbeat without an answer. */
export interface Outside {
  now: number;
  leases: number;
  heartbeat: Sent | null;
}

function failedEnd(failure: FailedEnd['failure'], { number }: Run): ItemEnd {
  return {
    kind: 'failed',
    failure,
    error: { code: failure === 'wait' ? 'server_unreachable' : 'server_error', message: 'x' },
    retryAfterMs: null,
    bytesArrived: number % 3 === 0,
    jitter: 0.5,
  };
}

const ENDS: readonly ((run: Run) => ItemEnd)[] = [
  (run) => ({ kind: 'outcome', outcome: { item_id: run.item.item_id, output: '1' } }),
  (run) => ({ kind: 'outcome', outcome: { item_id: run.item.item_id, output: '1' } }),
  (run) => ({
    kind: 'outcome',
    outcome: { item_id: run.item.item_id, error: { code: 'bad', message: 'x' } },
  }),
  (run) => failedEnd('transient', run),
  (run) => failedEnd('timeout', run),
  (run) => failedEnd('interrupted', run),
  (run) => failedEnd('overload', run),
  (run) => failedEnd('wait', run),
  (run) => failedEnd('rejected', run),
  (run) => failedEnd('rejected', run),
  () => ({ kind: 'not_here', error: { code: 'model_not_found', message: 'x' } }),
  () => ({
    kind: 'not_here',
    error: { code: 'not_supported', message: 'x' },
    withdraws: { reach: 'offer', until: 'probe' },
  }),
  () => ({
    kind: 'not_here',
    error: { code: 'forbidden', message: 'x' },
    withdraws: { reach: 'runtime', until: 'probe' },
    mayBeOfItem: true,
  }),
  () => ({ kind: 'crashed', error: { code: 'runtime_crashed', message: 'x' } }),
  () => ({ kind: 'crashed', error: { code: 'runtime_crashed', message: 'x' } }),
  () => ({ kind: 'aborted' }),
];

type Make = (state: WorkerState, outside: Outside, pick: number) => Happening | null;

const choose = <Element>(elements: readonly Element[], pick: number): Element | undefined =>
  elements[pick % elements.length];

/** Makes an event of each kind for a state; null if it cannot happen there. */
const MAKE = {
  lease: (state, outside, pick) => {
    if (!state.admission.outboxRead) return null;
    outside.leases += 1;
    // Sometimes a held task is leased again under a new number.
    const held = pick % 5 === 0 ? choose(state.tasks, pick) : undefined;
    const lease =
      held === undefined
        ? leaseOf(`${outside.leases}`, pick % 5, {
            copy: pick % 7 === 0,
            job_type: pick % 3 === 0 ? 'embed' : 'chat',
            ...(pick % 11 === 0 ? {} : { no_other_worker: pick % 2 === 0 }),
          })
        : { ...held.lease, attempt: 1 + outside.leases };
    return { kind: 'leased', tasks: [lease], sentAt: outside.now - (pick % 4 === 0 ? LEASE_MS + 1 : 0) };
  },
  end: (state, _outside, pick) => {
    const run = choose(
      state.runs.filter(({ saving }) => saving === null),
      pick,
    );
    const end = choose(ENDS, pick);
    return run === undefined || end === undefined
      ? null
      : { kind: 'item_ended', run: run.number, end: end(run) };
  },
  save: (state, _outside, pick) => {
    const run = choose(
      state.runs.filter(({ saving }) => saving !== null),
      pick,
    );
    return run === undefined ? null : { kind: 'outcome_saved', run: run.number };
  },
  sendHeartbeat: (state, outside) => {
    outside.heartbeat = { plan: planHeartbeat(state), sentAt: outside.now };
    return null;
  },
  answerHeartbeat: (state, outside, pick) => {
    const sent = outside.heartbeat;
    outside.heartbeat = null;
    if (sent === null) return null;
    const lost = pick % 3 === 0 ? choose(sent.plan.renews, pick) : undefined;
    const recorded = pick % 4 === 0 ? choose(state.tasks, pick) : undefined;
    const items = recorded?.lease.items.filter((_, index) => (pick >> index) % 2 === 0) ?? [];
    return {
      kind: 'heartbeat_answered',
      ...sent,
      reply: {
        deployment_id: 'here',
        lost: lost === undefined ? [] : [{ ...lost, code: 'lease_lost' }],
        settled:
          recorded === undefined
            ? []
            : [{ ...recorded.lease, item_ids: items.map(({ item_id }) => item_id) }],
      },
    };
  },
  missHeartbeat: (_state, outside, pick) => {
    outside.heartbeat = null;
    return { kind: 'heartbeat_failed', reason: 'no answer', idInUse: pick % 5 === 0 };
  },
  report: () => ({ kind: 'report_due' }),
  answerReport: (state, _outside, pick) => {
    const { sending } = state.reports;
    if (sending === null) return null;
    const entries = state.tasks.map((task, index): EntryReply => {
      const { task_id, attempt } = task.lease;
      const accepted = (pick >> index) % 4 !== 0;
      const recorded = task.lease.items.filter((_, item) => (pick >> item) % 5 === 0);
      return {
        task_id,
        attempt,
        task_status: null,
        outcome: accepted ? 'accepted' : 'superseded',
        ...(recorded.length === 0 ? {} : { settled: recorded.map(({ item_id }) => item_id) }),
      };
    });
    return { kind: 'report_answered', replies: new Map(entries.map((entry) => [leaseKey(entry), entry])) };
  },
  failReport: ({ reports }) =>
    reports.sending === null ? null : { kind: 'report_failed', reason: 'no answer' },
  fillDisk: (_state, _outside, pick) => ({ kind: 'outbox_writable', writable: pick % 2 === 0 }),
  probe: (state, _outside, pick) => {
    const { offer, code } = choose(state.withdrawals, pick) ?? {};
    if (state.runtimes[0]?.probing !== true || offer === undefined || code === undefined) return null;
    return { kind: 'offers_probed', runtime: 0, results: [{ offer, code, works: pick % 2 === 0 }] };
  },
  test: ({ runtimes, nextNumber }, _outside, pick) =>
    runtimes[0]?.testing === true
      ? { kind: 'server_tested', runtime: 0, model: 'm', test: nextNumber - 1, works: pick % 2 === 0 }
      : null,
  nameSlots: ({ runtimes }, _outside, pick) =>
    runtimes[0]?.slotsAsked.includes('m') === true
      ? { kind: 'slots_known', runtime: 0, model: 'm', slots: 1 + (pick % 6), isLimit: pick % 2 === 0 }
      : null,
  wake: ({ wakeAt }, outside) => {
    if (wakeAt === null) return null;
    outside.now = Math.max(outside.now, wakeAt);
    return { kind: 'time_passed' };
  },
  find: ({ settings }, _outside, pick) => ({
    kind: 'offers_found',
    runtime: 0,
    name: 'server',
    // Mostly all of them, because a worker without offers does little.
    offers: (settings.runtimes[0]?.offers ?? []).slice(Math.max(0, (pick % 6) - 3)),
  }),
  swap: () => ({ kind: 'model_swapped' }),
  ownPause: (_state, _outside, pick) => ({
    kind: 'own_pause',
    pause: pick % 2 === 0 ? { rule: 'on_battery', reason: `on battery (${pick % 100} %)` } : null,
  }),
  drain: (state, _outside, pick) => (pick % 6 === 0 && state.life !== 'draining' ? { kind: 'drain' } : null),
  abort: (state, _outside, pick) =>
    state.life === 'draining' ? { kind: pick % 2 === 0 ? 'grace_over' : 'force_quit' } : null,
} satisfies Record<string, Make>;

/** Makes the event of a draw; null if it cannot happen in this state. Time passes in any case. */
export function happeningOf(draw: Draw, state: WorkerState, outside: Outside): Happening | null {
  outside.now += draw.passedMs;
  const make: Make = MAKE[draw.kind];
  return make(state, outside, draw.pick);
}

const often = (kind: Draw['kind'], weight: number) => ({ arbitrary: fc.constant(kind), weight });

/** Random histories. Ends and saves are frequent, drains and sleeps are rare. */
export const draws: fc.Arbitrary<readonly Draw[]> = fc.array(
  fc.record({
    kind: fc.oneof(
      often('lease', 4),
      often('end', 10),
      often('save', 8),
      often('ownPause', 1),
      often('sendHeartbeat', 2),
      often('answerHeartbeat', 3),
      often('missHeartbeat', 1),
      often('report', 4),
      often('answerReport', 3),
      often('failReport', 1),
      often('fillDisk', 1),
      often('probe', 1),
      often('test', 1),
      often('nameSlots', 1),
      often('wake', 3),
      often('find', 1),
      often('swap', 1),
      often('drain', 1),
      often('abort', 1),
    ),
    pick: fc.nat(10_000),
    passedMs: fc.oneof(
      { arbitrary: fc.nat(1000), weight: 20 },
      { arbitrary: fc.constant(LEASE_MS + 1), weight: 1 },
    ),
  }),
  { minLength: 10, maxLength: 80 },
);
