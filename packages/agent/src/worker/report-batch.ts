import type { Outcome, ReportEntry } from '@macbatch/contract';
import type { Reportable } from './reportable.ts';

/** Most tasks in one report, and about the most bytes. Larger ones would block the control plane's event loop. */
const MAX_TASKS = 100;
const MAX_BYTES = 1024 * 1024;

/**
 * Most bytes of outcomes in one call. Well below the limit of the control plane for a body, and below the longest
 * string that this program can build: outcomes of one task may have waited through a long outage.
 */
const MAX_CALL_BYTES = 16 * 1024 * 1024;

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

/** Whether entries must go in several calls. A single outcome can't be divided, even if it is too large. */
export function isTooLargeForOneCall(entries: readonly ReportEntry[]): boolean {
  const outcomes = entries.flatMap((entry) => entry.outcomes);
  const bytes = outcomes.reduce((sum, outcome) => sum + outcomeBytes(outcome), 0);
  return outcomes.length > 1 && bytes > MAX_CALL_BYTES;
}

function outcomeBytes(outcome: Outcome): number {
  return 'output' in outcome ? outcome.output.length : OVERHEAD_BYTES;
}
