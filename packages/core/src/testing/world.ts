import { type Decision, decide } from '../lifecycle/decide.ts';
import type { TaskEvent } from '../lifecycle/event.ts';
import type { Task } from '../lifecycle/task.ts';
import { lease, report } from './events.ts';

/** A task with the leases and item errors that the lifecycle does not store. */
export interface World {
  readonly task: Task;
  /** The worker of each granted lease; attempt n is at index n - 1. */
  readonly granted: readonly string[];
  /** Number of recorded item errors, which a retry may withdraw. */
  readonly itemErrors: number;
}

export const worldOf = (task: Task): World => ({ task, granted: [], itemErrors: 0 });

/** Applies an event. `bad` is the number of item errors among a report's outcomes. */
export function step(world: World, event: TaskEvent, bad = 0): { world: World; decision: Decision } {
  const decision = decide(world.task, event);
  if (!decision.ok) return { world, decision };
  const granted = event.type === 'lease' ? [...world.granted, event.worker] : world.granted;
  const withdrawn = event.type === 'retry' ? event.reopened : 0;
  const itemErrors = world.itemErrors + (event.type === 'report' ? bad : 0) - withdrawn;
  return { world: { task: decision.task, granted, itemErrors }, decision };
}

/** Whether a worker that leases the task and reports every item can finish it. */
export function canFinish({ task, granted }: World): boolean {
  if (task.status === 'done') return true;
  const leased = task.status === 'pending' ? decide(task, lease('good')) : { ok: true as const, task };
  if (!leased.ok) return false;
  const reporter = task.status === 'pending' ? 'good' : (granted.at(-1) ?? 'nobody');
  const missing = leased.task.itemCount - leased.task.outcomeCount;
  const finished = decide(leased.task, report(reporter, leased.task.attempts, missing));
  return finished.ok && finished.task.status === 'done';
}
