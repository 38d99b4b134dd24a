import type { Batch, BatchClaim, Store } from '@macbatch/store';

/** Applies to a batch in progress what has happened to its jobs and to its completion window. */
export async function followJobs(
  store: Store,
  { claim, batch }: { readonly claim: BatchClaim; readonly batch: Batch },
): Promise<void> {
  // Reading a job records its end.
  const jobs = await store.batches.jobs(batch.id);
  if (jobs.some(({ state }) => state === 'cancelled')) {
    // Somebody cancelled the job itself.
    await store.batches.apply(claim, 'cancel');
    return;
  }
  if (jobs.every(({ state }) => state === 'done' || state === 'failed')) {
    await store.batches.apply(claim, 'items_ended');
    return;
  }
  await store.batches.apply(claim, 'window_passed');
}
