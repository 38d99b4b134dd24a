import type { Outcome } from '@macbatch/contract';
import type { Reportable } from './reportable.ts';

/** Most tasks in one report, and about the most bytes. Larger ones would block the control plane's event loop. */
const MAX_TASKS = 100;
const MAX_BYTES = 1024 * 1024;

/** Bytes counted for an entry, and for an outcome that has no output. */
const OVERHEAD_BYTES = 200;

/** Returns how many of the first tasks fit into one report: always at least one. */
export function countThatFit(tasks: readonly Reportable[]): number {
  let bytes = 0;
  const end = tasks.findIndex((task, index) => {
    bytes += entryBytes(task);
    return index > 0 && (index >= MAX_TASKS || bytes > MAX_BYTES);
  });
  return end === -1 ? tasks.length : end;
}

function entryBytes({ outcomes, acknowledged }: Reportable): number {
  return outcomes.slice(acknowledged).reduce((sum, outcome) => sum + outcomeBytes(outcome), OVERHEAD_BYTES);
}

function outcomeBytes(outcome: Outcome): number {
  return 'output' in outcome ? outcome.output.length : OVERHEAD_BYTES;
}
