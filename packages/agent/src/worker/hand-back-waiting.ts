import { type Change, forEach, inOrder, log } from './change.ts';
import { laneOf } from './endpoint-control.ts';
import { runtimesFor } from './endpoint-runs.ts';
import { hasFreshItem } from './fresh-items.ts';
import { type Gate, isDown, isLasting, REJECTS_ALL } from './gate.ts';
import { type HeldTask, isStartable, offerOf } from './held-task.ts';
import { leaveRejected, leaveTask } from './leave-task.ts';
import type { WorkerState } from './worker-state.ts';

/** Hands back tasks that wait for an endpoint in lasting trouble, so that other workers can run them. */
export function handBackWaiting(now: number): Change {
  return (state) => {
    if (state.life !== 'running') return { state, effects: [] };
    const lasting = new Map<string, readonly Gate[]>();
    const waiting = state.tasks.filter((task) => {
      if (task.closed || !isStartable(task)) return false;
      const { job_type, model } = offerOf(task);
      const key = `${job_type}/${model}`;
      const gates = lasting.get(key) ?? lastingGates(state, task, now);
      lasting.set(key, gates);
      return gates.length > 0 && !isKept(state, task, gates, now);
    });
    return forEach(waiting, (task) => {
      const { job_type, model } = offerOf(task);
      const { task_id, attempt } = task.lease;
      const gates = lasting.get(`${job_type}/${model}`) ?? [];
      return inOrder(
        log('task.waits_too_long', { task_id, attempt }),
        gates.every(rejectsAll) ? leaveRejected(task.number, now) : leaveTask(task.number, now),
      );
    })(state);
  };
}

/** Returns the gates that keep every endpoint from running the task soon; none if an endpoint can run it. */
function lastingGates(state: WorkerState, task: HeldTask, now: number): readonly Gate[] {
  const { pauses } = state.settings;
  const { model } = offerOf(task);
  const found = runtimesFor(state, offerOf(task), now).map((runtime) => {
    const control = state.runtimes[runtime]?.control;
    if (control === undefined) return [];
    return [control.gate, laneOf(control, model).gate].filter((gate) => isLasting(gate, pauses, now));
  });
  return found.every((gates) => gates.length > 0) ? found.flat().filter((gate) => gate !== null) : [];
}

/**
 * Whether the worker keeps a task to test its server. A task stays until an item has tested the server since its lease.
 * A task whose items have all failed here stays a little longer: if the worker handed it back at once, the control
 * plane would grant the same task again, and the worker would never get an item that shows that the server works.
 */
function isKept(state: WorkerState, task: HeldTask, gates: readonly Gate[], now: number): boolean {
  if (!gates.every(isDown)) return false;
  if (gates.every(({ closedAt }) => closedAt <= task.leasedAt)) return true;
  // A rejected task does not come back while another worker may run it.
  if (task.lease.no_other_worker === false && gates.every(rejectsAll)) return false;
  return now - task.leasedAt < state.settings.pauses.holdMs && !hasFreshItem(state, task);
}

function rejectsAll({ error }: Gate): boolean {
  return error.code === REJECTS_ALL;
}
