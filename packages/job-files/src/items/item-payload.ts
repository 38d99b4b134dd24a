import { objectMembers } from '@macbatch/core';

/** The JSON text of the payload in the line of an item. */
export function payloadOf(itemText: string): string {
  const payload = objectMembers(itemText).find(({ name }) => name === 'payload');
  return payload === undefined ? 'null' : itemText.slice(payload.value.start, payload.value.end);
}
