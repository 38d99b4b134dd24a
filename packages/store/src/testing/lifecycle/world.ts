import { type Decision, decide, newTask, type RetryOn, type Task, type TaskEvent } from '@macbatch/core';

/** The time of every event, and the length of a lease. */
export const T0 = Date.UTC(2026, 0, 1);
const LEASE_MS = 600_000;
/** Lease ends that differ by more than a test takes, so that `comparable` can round them to ten minutes. */
export const LONG_AGO = T0 - 6 * LEASE_MS;
export const FAR_AWAY = T0 + 3 * LEASE_MS;

export const ERROR = '{"code":"broken","message":"it broke"}';

/** The boot of every lease. */
export const BOOT = 'boot';

/** The outcome of an item in a report. */
export function outcomeAt(call: Extract<Call, { type: 'report' }>, position: number): 'ok' | 'error' {
  if (call.outcome !== 'mixed') return call.outcome;
  return position % 2 === 0 ? 'ok' : 'error';
}

/** A task with its leases and outcomes. */
export interface World {
  readonly task: Task;
  /** The worker of each granted lease; lease number n is at index n - 1. */
  readonly granted: readonly string[];
  /** The outcomes of items, by the position of the item in the task. */
  readonly outcomes: ReadonlyMap<number, 'ok' | 'error'>;
}

export function newWorld(itemCount: number, retryOn: RetryOn): World {
  return { task: newTask(itemCount, retryOn), granted: [], outcomes: new Map() };
}

/** A call of the store about one task. */
export type Call =
  | { readonly type: 'lease'; readonly worker: string }
  | { readonly type: 'release' | 'fail'; readonly worker: string; readonly attempt: number }
  | { readonly type: 'renew'; readonly worker: string; readonly boot: string; readonly attempt: number }
  | {
      readonly type: 'report';
      readonly worker: string;
      readonly attempt: number;
      readonly items: readonly number[];
      /** `mixed`: the items at odd positions end in an error. */
      readonly outcome: 'ok' | 'error' | 'mixed';
      readonly final: boolean;
    }
  | { readonly type: 'expire' }
  | { readonly type: 'retry'; readonly items: boolean }
  | { readonly type: 'cancel' };

export interface Step {
  readonly world: World;
  readonly reply: string;
}

/** Decides a call with core's rules. Returns the world after it, and the reply in words. */
export function step(world: World, call: Call): Step {
  switch (call.type) {
    case 'lease': {
      const decision = on(world, { ...call, leaseMs: LEASE_MS, now: T0 });
      if (!decision.ok) return { world, reply: 'nothing' };
      const missing = positionsOf(world).filter((position) => !world.outcomes.has(position));
      return {
        world: { ...world, task: decision.task, granted: [...world.granted, call.worker] },
        reply: `lease ${decision.task.attempts} of items ${missing.join()}`,
      };
    }
    case 'renew':
      return decided(
        world,
        on(world, { ...call, type: 'renew', leaseMs: LEASE_MS, now: T0 }),
        () => 'accepted',
      );
    case 'release':
      return decided(world, on(world, { ...call, type: 'release' }), () => 'accepted');
    case 'fail': {
      const decision = on(world, { ...call, type: 'fail', error: ERROR });
      if (!decision.ok && decision.reason === 'already_done') return { world, reply: 'superseded' };
      return decided(world, decision, ({ status }) => `accepted ${status}`);
    }
    case 'report':
      return reported(world, call);
    case 'expire': {
      const decision = on(world, { type: 'expire', boot: BOOT, now: T0 });
      if (!decision.ok) return { world, reply: 'nothing' };
      return { world: { ...world, task: decision.task }, reply: `now ${decision.task.status}` };
    }
    case 'retry': {
      const errors = [...world.outcomes]
        .filter(([, outcome]) => outcome === 'error')
        .map(([position]) => position);
      const reopened = call.items ? errors : [];
      const decision = on(world, { type: 'retry', reopened: reopened.length });
      if (!decision.ok) return { world, reply: '0 tasks, 0 items' };
      const outcomes = new Map([...world.outcomes].filter(([position]) => !reopened.includes(position)));
      return {
        world: { ...world, task: decision.task, outcomes },
        reply: `1 tasks, ${reopened.length} items`,
      };
    }
    case 'cancel': {
      // The job has no other task: when this one has ended, the job has ended and can't be cancelled.
      const { status } = world.task;
      if (status === 'done' || status === 'failed') return { world, reply: 'answered' };
      const decision = on(world, { type: 'cancel' });
      return { world: decision.ok ? { ...world, task: decision.task } : world, reply: 'answered' };
    }
  }
}

const on = (world: World, event: TaskEvent): Decision => decide(world.task, event);

const positionsOf = (world: World): number[] =>
  Array.from({ length: world.task.itemCount }, (_, position) => position);

function decided(world: World, decision: Decision, accepted: (task: Task) => string): Step {
  if (!decision.ok) return { world, reply: `refused ${decision.reason}` };
  return { world: { ...world, task: decision.task }, reply: accepted(decision.task) };
}

/**
 * Core says whether item errors are recorded, and counts new outcomes. Its caller checks which items they are of, and
 * that the worker had the lease.
 */
function reported(world: World, call: Extract<Call, { type: 'report' }>): Step {
  const recordsErrors = on(world, { ...call, type: 'item_error' }).ok;
  const unrecorded = call.items.filter((position) => !world.outcomes.has(position));
  const fresh = unrecorded.filter((position) => recordsErrors || outcomeAt(call, position) === 'ok');
  const decision = on(world, { ...call, recorded: fresh.length });
  if (world.granted[call.attempt - 1] !== call.worker) return { world, reply: 'refused not_leased' };
  if (!decision.ok && decision.reason === 'already_done') {
    return { world, reply: world.task.assignedWorker === call.worker ? 'duplicate' : 'superseded' };
  }
  if (!decision.ok) return { world, reply: `refused ${decision.reason}` };
  if (call.items.some((position) => position >= world.task.itemCount))
    return { world, reply: 'refused unknown_item' };
  // A dropped error counts as brought.
  const brought = new Set([...world.outcomes.keys(), ...call.items]);
  if (call.final && brought.size < world.task.itemCount) return { world, reply: 'refused missing_items' };
  const outcomes = new Map([
    ...world.outcomes,
    ...fresh.map((position): [number, 'ok' | 'error'] => [position, outcomeAt(call, position)]),
  ]);
  const dropped = fresh.length < unrecorded.length ? ' but lease_lost' : '';
  return {
    world: { ...world, task: decision.task, outcomes },
    reply: `accepted ${decision.task.status}${dropped}`,
  };
}

/** A world in a form that can be compared: lease ends are rounded to ten minutes. */
export function comparable(world: World): object {
  const { leaseUntil } = world.task;
  return {
    task: {
      ...world.task,
      leaseUntil: leaseUntil === null ? null : Math.round((leaseUntil - T0) / LEASE_MS),
    },
    granted: world.granted,
    outcomes: [...world.outcomes].sort(([a], [b]) => a - b),
  };
}
