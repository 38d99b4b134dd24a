import { member } from '../json-value.ts';
import type { ServerSlots } from '../runtime.ts';

/** More slots than any server has: a larger number is a mistake. */
const MAX_SLOTS = 10_000;

/** The number of requests that a server runs concurrently, in the reply of llama-server's `GET /props`. Null if it has none. */
export function serverSlots(body: unknown): ServerSlots | null {
  const slots = member(body, 'total_slots');
  return typeof slots === 'number' && Number.isInteger(slots) && slots >= 1 && slots <= MAX_SLOTS
    ? { count: slots, isLimit: true }
    : null;
}
