/** Entries whose task ids are distinct, with their places in the call. */
export type Numbered<Entry> = { readonly no: number; readonly entry: Entry };

/** Most entries that one statement takes; a longer call runs several. */
const BATCH_ENTRIES = 500;

/**
 * Cuts a call into batches in which no task stands twice: one statement changes a row once. A task that is
 * named again goes into a later batch, in the order of the call.
 */
export function batches<Entry extends { readonly taskId: string }>(
  entries: readonly Entry[],
): Numbered<Entry>[][] {
  const done: Numbered<Entry>[][] = [];
  let waiting = entries.map((entry, no) => ({ no, entry }));
  while (waiting.length > 0) {
    const batch: Numbered<Entry>[] = [];
    const later: Numbered<Entry>[] = [];
    const taken = new Set<string>();
    for (const each of waiting) {
      if (taken.has(each.entry.taskId) || batch.length >= BATCH_ENTRIES) {
        later.push(each);
        continue;
      }
      taken.add(each.entry.taskId);
      batch.push(each);
    }
    done.push(batch);
    waiting = later;
  }
  return done;
}
