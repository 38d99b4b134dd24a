import {
  type JobState,
  jobState,
  RETRY_POLICIES,
  type RetryOn,
  WORK_TYPES,
  type WorkType,
} from '@macbatch/core';
import { knownValue } from '../database/known-value.ts';
import type { JobRow } from './job-rows.ts';

export interface Job {
  readonly id: string;
  /** The group of keys that owns the job; empty if the pool works without keys. */
  readonly owner: string;
  readonly name: string | null;
  /** The name of the key that submitted the job; null if that is not known. */
  readonly submittedBy: string | null;
  readonly state: JobState;
  readonly jobType: WorkType;
  readonly model: string;
  /** JSON text. */
  readonly params: string;
  readonly shardSize: number;
  readonly retryOn: RetryOn;
  readonly priority: number;
  readonly createdAt: Date;
  readonly finishedAt: Date | null;
  readonly cancelledAt: Date | null;
  readonly items: {
    readonly total: number;
    readonly ok: number;
    readonly error: number;
    readonly failed: number;
    readonly open: number;
  };
  /** Items that took their outcome from an earlier job. */
  readonly reused: number;
  /** Items that repeat another item of this job. */
  readonly repeated: number;
  readonly tasks: {
    readonly total: number;
    readonly pending: number;
    readonly leased: number;
    readonly done: number;
    readonly failed: number;
  };
  /** Tasks with fewer items than the shard size because of their bytes. */
  readonly smallerTasks: number;
  readonly leasesGranted: number;
  readonly leaseExpiredEvents: number;
}

export function toJob(row: JobRow): Job {
  const tasks = { pending: row.pending, leased: row.leased, done: row.done, failed: row.failed };
  const cancelled = row.cancelled_at !== null;
  return {
    id: row.id,
    owner: row.owner,
    name: row.name,
    submittedBy: row.submitted_by,
    state: jobState({ cancelled, tasks, leasesGranted: row.leases_granted }),
    jobType: knownValue(WORK_TYPES, row.job_type),
    model: row.model,
    params: row.params,
    shardSize: row.shard_size,
    retryOn: knownValue(RETRY_POLICIES, row.retry_on),
    priority: row.priority,
    createdAt: row.created_at,
    finishedAt: row.finished_at,
    cancelledAt: row.cancelled_at,
    items: {
      total: row.item_count,
      ok: row.items_ok,
      error: row.items_error,
      failed: row.items_failed,
      open: row.item_count - row.items_ok - row.items_error - row.items_failed,
    },
    reused: row.reused_count,
    repeated: row.repeated_count,
    tasks: { total: row.task_count, ...tasks },
    smallerTasks: row.smaller_tasks,
    leasesGranted: row.leases_granted,
    leaseExpiredEvents: row.lease_expired_events,
  };
}
