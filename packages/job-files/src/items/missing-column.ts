import type { Failure } from '@macbatch/terminal';
import type { InputRecord } from '../formats/input-record.ts';
import { placeFailure } from '../formats/place.ts';

const MAX_NAMED = 30;

/** Says that a record lacks a column, and which columns it has. */
export function missingColumn(record: InputRecord, column: string, writtenAs: string): Failure {
  return placeFailure(
    record.isRow ? 'the header' : record.place,
    `has no column ${JSON.stringify(column)} for ${writtenAs}. ${columnsText(record)}`,
  );
}

/** Names the columns of a record. */
export function columnsText(record: InputRecord): string {
  const columns = record.columns();
  if (columns.length === 0) return 'It has no named columns.';
  const named = columns.slice(0, MAX_NAMED).join(', ');
  const more = columns.length > MAX_NAMED ? ` and ${columns.length - MAX_NAMED} more` : '';
  return `The columns are ${named}${more}.`;
}
