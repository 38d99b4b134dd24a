import type { ConnectionPools } from '@macbatch/connection';
import { sql } from 'drizzle-orm';
import { batches } from '../database/schema.ts';
import { statement } from '../database/statement.ts';
import { type BatchClaim, BatchClaimLost, isClaimed } from './claim-batch.ts';
import { transition } from './transition.ts';

type ClaimArguments = { id: string; claim: number };

const cancel = statement<{ id: string }, unknown>(
  (arg) => sql`${transition('cancel', sql`${batches.id} = ${arg.id('text')}`)} returning 1`,
);

const applyInvalid = statement<ClaimArguments & { errors: string }, unknown>(
  (arg) =>
    sql`${transition('input_invalid', isClaimed(arg.id('text'), arg.claim('float8')), sql`, errors = ${arg.errors('text')}`)} returning 1`,
);

const JOB_EVENTS = {
  items_ended: claimedEvent('items_ended'),
  cancel: claimedEvent('cancel'),
  window_passed: statement<ClaimArguments, unknown>(
    (arg) =>
      sql`${transition('window_passed', sql`${isClaimed(arg.id('text'), arg.claim('float8'))} and ${batches.expiresAt} <= now()`)} returning 1`,
  ),
} as const;

function claimedEvent(event: 'items_ended' | 'cancel') {
  return statement<ClaimArguments, unknown>(
    (arg) => sql`${transition(event, isClaimed(arg.id('text'), arg.claim('float8')))} returning 1`,
  );
}

/** Begins to cancel a batch. Changes nothing when it is being cancelled, is being finished or has ended. */
export async function cancelBatch({ durable }: ConnectionPools, id: string): Promise<void> {
  await cancel.run(durable, { id });
}

/** Ends a batch whose input file is not valid. `errors` is JSON text. */
export async function failBatch(
  { durable }: ConnectionPools,
  claim: BatchClaim,
  errors: string,
): Promise<void> {
  const changed = await applyInvalid.run(durable, { ...claim, errors });
  if (changed.length === 0) throw new BatchClaimLost(claim.id);
}

/** Applies what happened to the jobs of a batch. Returns false when that changes nothing. */
export async function applyJobEvent(
  { durable }: ConnectionPools,
  claim: BatchClaim,
  event: keyof typeof JOB_EVENTS,
): Promise<boolean> {
  return (await JOB_EVENTS[event].run(durable, { ...claim })).length > 0;
}
