import { type Change, inOrder, log, set } from './change.ts';
import type { WorkerLife } from './worker-state.ts';

/** Moves the worker to another stage of its life and logs it. */
export function becomes(life: WorkerLife): Change {
  return (state) =>
    inOrder(
      set((before) => ({ ...before, life })),
      log(`worker.${life}`, { worker_id: state.settings.workerId }),
    )(state);
}
