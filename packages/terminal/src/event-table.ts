import type { PoolEvent } from '@macbatch/contract';
import { printable } from '@macbatch/wording';
import { table } from './table.ts';

const MAX_TEXT = 100;

/** Shows events in a table, in the order in which they are given. */
export function eventTable(events: readonly PoolEvent[]): string {
  return table(
    ['at', 'event', 'job', 'worker', 'attempt', 'text'],
    events.map(({ at, kind, job, worker, attempt, detail }) => [
      at,
      kind,
      job?.slice(0, 8) ?? '',
      printable(worker ?? ''),
      attempt ?? '',
      shortened(printable(textOf(detail))),
    ]),
  );
}

/** The code and the message of the error in a detail. */
function textOf(detail: unknown): string {
  if (typeof detail !== 'object' || detail === null) return '';
  const error: unknown = 'error' in detail ? detail.error : detail;
  if (typeof error !== 'object' || error === null || !('code' in error) || !('message' in error)) return '';
  return `${String(error.code)}: ${String(error.message)}`;
}

function shortened(text: string): string {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
}
