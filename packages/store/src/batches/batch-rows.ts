import { BATCH_STATES, type BatchState } from '@macbatch/core';
import { type SQL, sql } from 'drizzle-orm';
import { knownValue } from '../database/known-value.ts';
import { batches, batchJobs, jobs, jobTallies } from '../database/schema.ts';
import { apiOfBatch, type BatchApi } from './batch-id.ts';

/** A batch of the interface of OpenAI or Anthropic. */
export interface Batch {
  readonly id: string;
  readonly api: BatchApi;
  /** The group of keys that owns the batch; empty if the pool works without keys. */
  readonly owner: string;
  readonly state: BatchState;
  readonly inputFileId: string;
  readonly endpoint: string;
  readonly completionWindow: string;
  /** JSON text. */
  readonly metadata: string | null;
  readonly outputExpiresSeconds: number | null;
  readonly model: string | null;
  /** JSON text. */
  readonly errors: string | null;
  /** Of the jobs while the batch runs; of the lines that were written at the end. */
  readonly counts: { readonly total: number; readonly completed: number; readonly failed: number };
  /** Requests that had no outcome at the end, and count as failed. 0 until then. */
  readonly notRun: number;
  /** JSON text. */
  readonly usage: string | null;
  readonly outputFileId: string | null;
  /** Null until the output file has expired, and while its expiry is the default. */
  readonly resultsExpiredAt: Date | null;
  readonly errorFileId: string | null;
  readonly times: { readonly [Time in BatchTime]: Date | null } & {
    readonly created: Date;
    readonly expires: Date;
  };
}

const TIMES = [
  'inProgress',
  'finalizing',
  'completed',
  'failed',
  'expired',
  'cancelling',
  'cancelled',
] as const;
type BatchTime = (typeof TIMES)[number];

export interface BatchRow {
  readonly id: string;
  readonly owner: string;
  readonly state: string;
  readonly input_file_id: string;
  readonly endpoint: string;
  readonly completion_window: string;
  readonly metadata: string | null;
  readonly output_expires_seconds: number | null;
  readonly model: string | null;
  readonly errors: string | null;
  readonly total: number;
  readonly completed: number;
  readonly failed: number;
  readonly not_run_count: number | null;
  readonly results_expired_at: Date | null;
  readonly usage: string | null;
  readonly output_file_id: string | null;
  readonly error_file_id: string | null;
  readonly created_at: Date;
  readonly expires_at: Date;
  readonly in_progress_at: Date | null;
  readonly finalizing_at: Date | null;
  readonly completed_at: Date | null;
  readonly failed_at: Date | null;
  readonly expired_at: Date | null;
  readonly cancelling_at: Date | null;
  readonly cancelled_at: Date | null;
  readonly body_digest: string;
}

/** Selects `BatchRow`s. The counts come from the tallies of the jobs: no rows of items are counted. */
export const batchRows = (rest: SQL): SQL => sql`
  select ${batches}.*,
    coalesce(${batches.totalCount}, running.total) as total,
    coalesce(${batches.completedCount}, running.completed) as completed,
    coalesce(${batches.failedCount}, running.failed) as failed,
    case when results.expire_at <= now() then results.expire_at end as results_expired_at
  from ${batches}
  cross join lateral (
    select coalesce(sum(${jobs.itemCount}), 0)::int as total, coalesce(sum(tally.ok), 0)::int as completed,
      coalesce(sum(tally.failed), 0)::int as failed
    from ${batchJobs}
    join ${jobs} on ${jobs.id} = ${batchJobs.jobId}
    cross join lateral (
      select sum(${jobTallies.itemsOk}) as ok, sum(${jobTallies.itemsError} + ${jobTallies.itemsFailed}) as failed
      from ${jobTallies} where ${jobTallies.jobId} = ${jobs.id}
    ) as tally
    where ${batchJobs.batchId} = ${batches.id} and ${batches.totalCount} is null
  ) as running
  left join lateral (
    select coalesce(${batches.finalizingAt}, ${batches.cancellingAt}) + make_interval(secs => ${batches.outputExpiresSeconds})
    where ${batches.outputFileId} is not null
  ) as results(expire_at) on true
  ${rest}`;

export function toBatch(row: BatchRow): Batch {
  return {
    id: row.id,
    api: apiOfBatch(row.id),
    owner: row.owner,
    state: knownValue(BATCH_STATES, row.state),
    inputFileId: row.input_file_id,
    endpoint: row.endpoint,
    completionWindow: row.completion_window,
    metadata: row.metadata,
    outputExpiresSeconds: row.output_expires_seconds,
    model: row.model,
    errors: row.errors,
    counts: { total: row.total, completed: row.completed, failed: row.failed },
    notRun: row.not_run_count ?? 0,
    usage: row.usage,
    outputFileId: row.output_file_id,
    resultsExpiredAt: row.results_expired_at,
    errorFileId: row.error_file_id,
    times: {
      created: row.created_at,
      expires: row.expires_at,
      inProgress: row.in_progress_at,
      finalizing: row.finalizing_at,
      completed: row.completed_at,
      failed: row.failed_at,
      expired: row.expired_at,
      cancelling: row.cancelling_at,
      cancelled: row.cancelled_at,
    },
  };
}
