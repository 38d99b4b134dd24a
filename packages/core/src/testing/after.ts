import { decide } from '../lifecycle/decide.ts';
import type { TaskEvent } from '../lifecycle/event.ts';
import type { Task } from '../lifecycle/task.ts';

/** The task after events that must all be accepted: states in tests are reached, never made up. */
export function after(start: Task, ...events: readonly TaskEvent[]): Task {
  return events.reduce((task, event) => {
    const decision = decide(task, event);
    if (!decision.ok) {
      throw new Error(`${event.type} was refused (${decision.reason}) on ${JSON.stringify(task)}`);
    }
    return decision.task;
  }, start);
}
