import { type Decision, decide } from '../lifecycle/decide.ts';
import type { TaskEvent } from '../lifecycle/event.ts';
import type { Task } from '../lifecycle/task.ts';
import { lease, report } from './events.ts';

/** A task with what its surroundings know of it. */
export interface World {
  readonly task: Task;
  /** The worker of each lease that was granted; lease number n stands at n - 1. */
  readonly granted: readonly string[];
  /** How many of the recorded outcomes are errors of items: those a person may withdraw. */
  readonly itemErrors: number;
}

export const worldOf = (task: Task): World => ({ task, granted: [], itemErrors: 0 });

/** The world after an event, and what was decided. `bad` of a report's outcomes are errors of items. */
export function step(world: World, event: TaskEvent, bad = 0): { world: World; decision: Decision } {
  const decision = decide(world.task, event);
  if (!decision.ok) return { world, decision };
  const granted = event.type === 'lease' ? [...world.granted, event.worker] : world.granted;
  const withdrawn = event.type === 'retry' ? event.reopened : 0;
  const itemErrors = world.itemErrors + (event.type === 'report' ? bad : 0) - withdrawn;
  return { world: { task: decision.task, granted, itemErrors }, decision };
}

/** Whether a good worker can end this task: it takes the lease if there is one to take, and reports all. */
export function canFinish({ task, granted }: World): boolean {
  if (task.status === 'done') return true;
  const leased = task.status === 'pending' ? decide(task, lease('good')) : { ok: true as const, task };
  if (!leased.ok) return false;
  const reporter = task.status === 'pending' ? 'good' : (granted.at(-1) ?? 'nobody');
  const missing = leased.task.itemCount - leased.task.outcomeCount;
  const finished = decide(leased.task, report(reporter, leased.task.attempts, missing));
  return finished.ok && finished.task.status === 'done';
}
