import type { ConnectionPools } from '@macbatch/connection';
import { ENDED_BATCH_STATES } from '@macbatch/core';
import { sql } from 'drizzle-orm';
import { batches, batchJobs, jobs } from '../database/schema.ts';
import { statement } from '../database/statement.ts';
import { literals } from '../database/tables/columns.ts';

/** The jobs are marked as a prune does it: nobody reads them any more, and the next prune deletes their rows. */
const deleteEnded = statement<{ id: string }, unknown>(
  (arg) => sql`
  with deleted as (
    delete from ${batches} where ${batches.id} = ${arg.id('text')} and ${batches.state} in (${literals(ENDED_BATCH_STATES)})
    returning ${batches.id}
  ), hidden as (
    update ${jobs} set pruned_at = now(), idempotency_key = null
    where ${jobs.prunedAt} is null
      and ${jobs.id} in (select ${batchJobs.jobId} from ${batchJobs} join deleted on deleted.id = ${batchJobs.batchId})
  )
  select 1 from deleted`,
);

/** Deletes a batch that has ended and hides its jobs. Returns false when there is no such batch. */
export async function deleteBatch({ durable }: ConnectionPools, id: string): Promise<boolean> {
  return (await deleteEnded.run(durable, { id })).length > 0;
}
