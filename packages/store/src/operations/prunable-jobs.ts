import { ENDED_BATCH_STATES } from '@macbatch/core';
import { type SQL, sql } from 'drizzle-orm';
import { batches, batchJobs, jobs } from '../database/schema.ts';
import { type NoArguments, statement } from '../database/statement.ts';
import { literals } from '../database/tables/columns.ts';

type AgeArguments = { seconds: number };

/** True of a job that ended longer ago than this, and whose outcomes no batch still has to write. */
const endedBefore = (seconds: SQL): SQL =>
  sql`coalesce(${jobs.finishedAt}, ${jobs.cancelledAt}) < now() - make_interval(secs => ${seconds}) and not exists (
    select from ${batchJobs} join ${batches} on ${batches.id} = ${batchJobs.batchId}
    where ${batchJobs.jobId} = ${jobs.id} and ${batches.state} not in (${literals(ENDED_BATCH_STATES)})
  )`;

interface PrunableRow {
  readonly jobs: number;
  readonly items: number;
  readonly tasks: number;
  readonly payload_bytes: number;
}

/** Counts what a prune has to delete, the rest of an interrupted one included. */
export const countPrunable = statement<AgeArguments, PrunableRow>(
  (arg) => sql`
  select count(*)::int as jobs, coalesce(sum(${jobs.itemCount}), 0)::float8 as items,
    coalesce(sum(${jobs.taskCount}), 0)::float8 as tasks, coalesce(sum(${jobs.payloadBytes}), 0)::float8 as payload_bytes
  from ${jobs} where ${jobs.prunedAt} is not null or ${endedBefore(arg.seconds('float8'))}`,
);

/** Selects a job that an earlier prune has marked and that no other prune works on now. */
export const nextMarkedJob = statement<NoArguments, { readonly id: string }>(
  () => sql`
  select ${jobs.id}::text from ${jobs} where ${jobs.prunedAt} is not null order by ${jobs.id} limit 1 for no key update skip locked`,
);

/**
 * Marks the oldest job that ended long enough ago. From then on nobody reads it, retries it or finds it by its
 * idempotency key. A job that is locked for one of these is left for later.
 */
export const markNextJob = statement<AgeArguments, { readonly id: string }>(
  (arg) => sql`
  update ${jobs} set pruned_at = now(), idempotency_key = null
  where ${jobs.id} = (
    select ${jobs.id} from ${jobs} where ${jobs.prunedAt} is null and ${endedBefore(arg.seconds('float8'))}
    order by ${jobs.id} limit 1 for update skip locked
  )
  returning ${jobs.id}::text`,
);
