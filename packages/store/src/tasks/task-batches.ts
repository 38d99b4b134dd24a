/** An entry with its position in the call. */
export interface PositionedEntry<Entry> {
  readonly position: number;
  readonly entry: Entry;
}

/** Most entries for one statement. A longer call runs several statements. */
const BATCH_ENTRIES = 500;

/**
 * Cuts a call into batches that name each task once, because a statement changes a row only once. An entry whose
 * task is in a batch already goes into a later one; the entries of a task keep their order.
 */
export function taskBatches<Entry extends { readonly taskId: string }>(
  entries: readonly Entry[],
): PositionedEntry<Entry>[][] {
  const batches: PositionedEntry<Entry>[][] = [];
  let waiting = entries.map((entry, position) => ({ position, entry }));
  while (waiting.length > 0) {
    const batch: PositionedEntry<Entry>[] = [];
    const later: PositionedEntry<Entry>[] = [];
    const taskIds = new Set<string>();
    for (const each of waiting) {
      if (taskIds.has(each.entry.taskId) || batch.length >= BATCH_ENTRIES) {
        later.push(each);
        continue;
      }
      taskIds.add(each.entry.taskId);
      batch.push(each);
    }
    batches.push(batch);
    waiting = later;
  }
  return batches;
}
