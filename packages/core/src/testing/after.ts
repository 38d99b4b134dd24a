import { decide } from '../lifecycle/decide.ts';
import type { TaskEvent } from '../lifecycle/event.ts';
import type { Task } from '../lifecycle/task.ts';

/** Applies events that must all be accepted, so that tests use only reachable tasks. */
export function after(start: Task, ...events: readonly TaskEvent[]): Task {
  return events.reduce((task, event) => {
    const decision = decide(task, event);
    if (!decision.ok) {
      throw new Error(`${event.type} was refused (${decision.reason}) on ${JSON.stringify(task)}`);
    }
    return decision.task;
  }, start);
}
