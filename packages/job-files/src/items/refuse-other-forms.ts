import { arrayElements } from '@macbatch/core';
import type { InputRecord } from '../formats/input-record.ts';
import { placeFailure } from '../formats/place.ts';

/** Refuses a first record in another form, which would otherwise become an item that fails, like all others. */
export function refuseOtherForms(record: InputRecord): void {
  if (record.isRow || (record.defaultId !== 'line-1' && record.defaultId !== 'item-1')) return;
  if (record.defaultId === 'line-1' && isArrayOfRecords(record.json()))
    throw placeFailure(
      record.place,
      'is an array of records, and a line is one item. Add --format json to read the elements of an array',
    );
  const columns = record.columns();
  if (columns.includes('custom_id') && columns.includes('body'))
    throw placeFailure(
      record.place,
      "is a request of OpenAI's Batch API. Take its messages as the payload, and give the rest of its body as " +
        "--params: jq -c '{id: .custom_id, payload: {messages: .body.messages}}' FILE > items.jsonl",
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
