import type { Outcome } from '@macbatch/contract';
import type { LeasedItem } from './held-task.ts';
import { MAX_CRASHES_ALONE, type Suspicion } from './quarantine.ts';

/** The outcome of an item that has ended several processes of this worker alone: it does not run again. */
export function condemned({ item_id }: LeasedItem, suspicion: Suspicion | null): Outcome | null {
  if (suspicion === null || suspicion.crashesAlone < MAX_CRASHES_ALONE) return null;
  const message = `the worker ended ${suspicion.crashesAlone} times while it ran only this item`;
  return { item_id, error: { code: 'worker_crashed', message } };
}
