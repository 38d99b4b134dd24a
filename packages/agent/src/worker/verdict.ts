/**
 * What a failed run means for its item.
 * `again`: the item runs again later.
 * `item_error`: the error is the item's outcome, here and anywhere.
 * `failed`: the item failed here and may succeed on another worker.
 * `task_failed`: the same for all items of its task that have no outcome.
 * `left_to_others`: another worker may run the item. The rest of its task goes back, and comes back if there is none.
 * `server`: the server is in trouble. The item runs again when it is over, and nothing is held against it.
 */
export type Verdict = 'again' | 'item_error' | 'failed' | 'task_failed' | 'left_to_others' | 'server';
