import type { PoolEvent } from '@macbatch/contract';
import { eventErrorText, printable } from '@macbatch/wording';
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
      shortened(printable(eventErrorText(detail))),
    ]),
  );
}

function shortened(text: string): string {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
}
