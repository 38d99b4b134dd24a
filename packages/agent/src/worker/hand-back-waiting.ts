import type { Offer } from '../runtimes/runtime.ts';
import { type Change, forEach, inOrder, log } from './change.ts';
import { laneOf } from './endpoint-control.ts';
import { runtimesFor } from './endpoint-runs.ts';
import { isLasting } from './gate.ts';
import { isStartable, offerOf } from './held-task.ts';
import { leaveTask } from './leave-task.ts';
import type { WorkerState } from './worker-state.ts';

/** Hands back tasks that wait for an endpoint in lasting trouble, so that other workers can run them. */
export function handBackWaiting(now: number): Change {
  return (state) => {
    if (state.life !== 'running') return { state, effects: [] };
    const stuck = new Map<string, boolean>();
    const waiting = state.tasks.filter((task) => {
      if (task.closed || !isStartable(task)) return false;
      const offer = offerOf(task);
      const key = `${offer.job_type}/${offer.model}`;
      const known = stuck.get(key) ?? isStuck(state, offer, now);
      stuck.set(key, known);
      return known;
    });
    return forEach(waiting, ({ number, lease: { task_id, attempt } }) =>
      inOrder(log('task.waits_too_long', { task_id, attempt }), leaveTask(number, now)),
    )(state);
  };
}

/** Whether no endpoint will run the offer soon. */
function isStuck(state: WorkerState, offer: Offer, now: number): boolean {
  const { pauses } = state.settings;
  const runtimes = runtimesFor(state, offer, now);
  return (
    runtimes.length > 0 &&
    runtimes.every((runtime) => {
      const control = state.runtimes[runtime]?.control;
      if (control === undefined) return false;
      return (
        isLasting(control.gate, pauses, now) || isLasting(laneOf(control, offer.model).gate, pauses, now)
      );
    })
  );
}
