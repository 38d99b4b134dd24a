import { type Decision, decide, newTask, type RetryOn, type Task, type TaskEvent } from '@macbatch/core';

/** The clock of the model, and how long it leases for. */
export const T0 = Date.UTC(2026, 0, 1);
const LEASE_MS = 600_000;
/** Apart by more than a test takes, so that ends of leases can be told from each other by the ten minutes. */
export const LONG_AGO = T0 - 6 * LEASE_MS;
export const FAR_AWAY = T0 + 3 * LEASE_MS;

export const ERROR = '{"code":"broken","message":"it broke"}';

/** A task with what its surroundings know of it. */
export interface World {
  readonly task: Task;
  /** The worker of each lease that was granted; lease number n stands at n - 1. */
  readonly granted: readonly string[];
  /** The items that have an outcome, by their place in the task. */
  readonly outcomes: ReadonlyMap<number, 'ok' | 'error'>;
}

export function newWorld(itemCount: number, retryOn: RetryOn): World {
  return { task: newTask(itemCount, retryOn), granted: [], outcomes: new Map() };
}

/** What is asked of the store, about one task. */
export type Call =
  | { readonly type: 'lease'; readonly worker: string }
  | { readonly type: 'renew' | 'release' | 'fail'; readonly worker: string; readonly attempt: number }
  | {
      readonly type: 'report';
      readonly worker: string;
      readonly attempt: number;
      readonly items: readonly number[];
      readonly outcome: 'ok' | 'error';
      readonly final: boolean;
    }
  | { readonly type: 'expire' }
  | { readonly type: 'retry'; readonly items: boolean }
  | { readonly type: 'cancel' };

export interface Step {
  readonly world: World;
  readonly reply: string;
}

/** What core says of a call: the world after it, and the reply in words. */
export function step(world: World, call: Call): Step {
  switch (call.type) {
    case 'lease': {
      const decision = on(world, { ...call, leaseMs: LEASE_MS, now: T0 });
      if (!decision.ok) return { world, reply: 'nothing' };
      const missing = placesOf(world).filter((place) => !world.outcomes.has(place));
      return {
        world: { ...world, task: decision.task, granted: [...world.granted, call.worker] },
        reply: `lease ${decision.task.attempts} of items ${missing.join()}`,
      };
    }
    case 'renew':
      return plain(
        world,
        on(world, { ...call, type: 'renew', leaseMs: LEASE_MS, now: T0 }),
        () => 'accepted',
      );
    case 'release':
      return plain(world, on(world, { ...call, type: 'release' }), () => 'accepted');
    case 'fail': {
      const decision = on(world, { ...call, type: 'fail', error: ERROR });
      if (!decision.ok && decision.reason === 'already_done') return { world, reply: 'superseded' };
      return plain(world, decision, ({ status }) => `accepted ${status}`);
    }
    case 'report':
      return reported(world, call);
    case 'expire': {
      const decision = on(world, { type: 'expire', now: T0 });
      if (!decision.ok) return { world, reply: 'nothing' };
      return { world: { ...world, task: decision.task }, reply: `now ${decision.task.status}` };
    }
    case 'retry': {
      const errors = [...world.outcomes].filter(([, outcome]) => outcome === 'error').map(([place]) => place);
      const reopened = call.items ? errors : [];
      const decision = on(world, { type: 'retry', reopened: reopened.length });
      if (!decision.ok) return { world, reply: '0 tasks, 0 items' };
      const outcomes = new Map([...world.outcomes].filter(([place]) => !reopened.includes(place)));
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

const placesOf = (world: World): number[] =>
  Array.from({ length: world.task.itemCount }, (_, place) => place);

function plain(world: World, decision: Decision, accepted: (task: Task) => string): Step {
  if (!decision.ok) return { world, reply: `refused ${decision.reason}` };
  return { world: { ...world, task: decision.task }, reply: accepted(decision.task) };
}

/** Core knows how many outcomes are new; which they are, and that a lease was granted, is for its caller. */
function reported(world: World, call: Extract<Call, { type: 'report' }>): Step {
  const fresh = call.items.filter((place) => !world.outcomes.has(place));
  const decision = on(world, { ...call, recorded: fresh.length });
  if (world.granted[call.attempt - 1] !== call.worker) return { world, reply: 'refused not_leased' };
  if (!decision.ok && decision.reason === 'already_done') {
    return { world, reply: world.task.assignedWorker === call.worker ? 'duplicate' : 'superseded' };
  }
  if (!decision.ok) return { world, reply: `refused ${decision.reason}` };
  if (call.items.some((place) => place >= world.task.itemCount))
    return { world, reply: 'refused unknown_item' };
  const outcomes = new Map([
    ...world.outcomes,
    ...fresh.map((place): [number, 'ok' | 'error'] => [place, call.outcome]),
  ]);
  if (call.final && outcomes.size < world.task.itemCount) return { world, reply: 'refused missing_items' };
  return {
    world: { ...world, task: decision.task, outcomes },
    reply: `accepted ${decision.task.status}`,
  };
}

/** A world in a form that the database's own can be compared with: ends of leases in tens of minutes. */
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
