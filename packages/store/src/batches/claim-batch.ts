import type { ConnectionPools } from '@macbatch/connection';
import { type BatchState, ENDED_BATCH_STATES } from '@macbatch/core';
import { type SQL, sql } from 'drizzle-orm';
import { batches, batchJobs, jobs, jobTallies } from '../database/schema.ts';
import { statement } from '../database/statement.ts';
import { literals } from '../database/tables/columns.ts';
import type { Batch } from './batch-rows.ts';
import { findBatch } from './read-batches.ts';

/** A control plane's claim on the background work of a batch. Its number fences: an older claim writes nothing. */
export interface BatchClaim {
  readonly id: string;
  readonly claim: number;
}

/** The claim has passed, another control plane has the batch, or its state has changed. */
export class BatchClaimLost extends Error {
  constructor(id: string) {
    super(`The claim on ${id} was lost.`);
  }
}

/** SQL condition: the claim still counts. */
export const isClaimed = (id: SQL, claim: SQL): SQL =>
  sql`${batches.id} = ${id} and ${batches.claim} = ${claim} and ${batches.claimUntil} > now()`;

/** SQL condition: an item of the batch has no outcome yet, and can still get one. */
const isRunning = sql`exists (
  select from ${batchJobs} join ${jobs} on ${jobs.id} = ${batchJobs.jobId}
  where ${batchJobs.batchId} = ${batches.id} and ${jobs.finishedAt} is null and ${jobs.cancelledAt} is null
    and (select sum(pending) + sum(leased) from ${jobTallies} where ${jobTallies.jobId} = ${jobs.id}) <> 0
)`;

/** Claims the oldest batch that needs background work. Batches that only wait for their jobs are left out. */
const claimNext = statement<{ seconds: number }, BatchClaim>(
  (arg) => sql`
  update ${batches} set claim = ${batches.claim} + 1, claim_until = now() + make_interval(secs => ${arg.seconds('float8')})
  where ${batches.id} = (
    select ${batches.id} from ${batches}
    where ${batches.state} not in (${literals(ENDED_BATCH_STATES)})
      and (${batches.claimUntil} is null or ${batches.claimUntil} <= now())
      and (${batches.state} <> 'in_progress' or ${batches.expiresAt} <= now() or not ${isRunning})
    order by ${batches.id} limit 1 for update skip locked
  )
  returning ${batches.id}, ${batches.claim}::float8 as claim`,
);

const extendClaim = statement<{ id: string; claim: number; state: string; seconds: number }, unknown>(
  (arg) => sql`
  update ${batches} set claim_until = now() + make_interval(secs => ${arg.seconds('float8')})
  where ${isClaimed(arg.id('text'), arg.claim('float8'))} and ${batches.state} = ${arg.state('text')}
  returning 1`,
);

const endClaim = statement<{ id: string; claim: number }, unknown>(
  (arg) => sql`
  update ${batches} set claim_until = null where ${batches.id} = ${arg.id('text')} and ${batches.claim} = ${arg.claim('float8')}`,
);

/** Claims a batch that needs background work for this long; null when there is none. */
export async function claimBatch(
  connections: ConnectionPools,
  seconds: number,
): Promise<{ readonly claim: BatchClaim; readonly batch: Batch } | null> {
  const [claim] = await claimNext.run(connections.durable, { seconds });
  if (claim === undefined) return null;
  const batch = await findBatch(connections, claim.id);
  return batch === null ? null : { claim, batch };
}

/** Extends a claim. Returns false when it is lost, or when the batch is not in this state any more. */
export async function renewClaim(
  { durable }: ConnectionPools,
  claim: BatchClaim,
  state: BatchState,
  seconds: number,
): Promise<boolean> {
  return (await extendClaim.run(durable, { ...claim, state, seconds })).length > 0;
}

/** Ends a claim, so that the batch can be claimed again immediately. */
export async function releaseClaim({ durable }: ConnectionPools, claim: BatchClaim): Promise<void> {
  await endClaim.run(durable, { ...claim });
}
