import { arrayElements } from '@macbatch/core';
import type { InputRecord } from '../formats/input-record.ts';
import { placeFailure } from '../formats/place.ts';
import { isBatchLine } from './batch-line.ts';

/** Refuses a first record in another form, which would otherwise become an item that fails, like all others. */
export function refuseOtherForms(record: InputRecord): void {
  if (record.isRow || (record.defaultId !== 'line-1' && record.defaultId !== 'item-1')) return;
  if (record.defaultId === 'line-1' && isArrayOfRecords(record.json()))
    throw placeFailure(
      record.place,
      'is an array of records, and a line is one item. Add --format json to read the elements of an array',
    );
  if (isBatchLine(record))
    throw placeFailure(
      record.place,
      "is a request of OpenAI's Batch API. To send its body as it is, leave out --type and the options that choose a payload",
    );
}

function isArrayOfRecords(json: string): boolean {
  const text = json.trim();
  if (!text.startsWith('[')) return false;
  for (const { start, end } of arrayElements(text)) {
    const element: unknown = JSON.parse(text.slice(start, end));
    if (typeof element === 'object' && element !== null && !Array.isArray(element) && !('role' in element))
      return true;
  }
  return false;
}
