import { printable } from '@macbatch/wording';
import { table } from './table.ts';

/** Failed items with the same kind of error. */
interface FailureRow {
  readonly id: string;
  readonly count: number;
  readonly code: string;
  readonly message: string;
  readonly exampleId: string;
}

const MAX_MESSAGE = 100;

/** Shows groups of failures: how many items, the error, an example, and the id for `retry --failure`. */
export function failureTable(groups: readonly FailureRow[]): string {
  return table(
    ['failed', 'group', 'error', 'for example', 'message'],
    groups.map(({ id, count, code, message, exampleId }) => [
      count,
      id,
      code,
      printable(exampleId),
      printable(message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE)}…` : message),
    ]),
  );
}
