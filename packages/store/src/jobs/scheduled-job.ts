import type { WaitingJob, WorkKind } from '@macbatch/core';

/** The columns that order and size the leases of an open job. */
export interface ScheduledJobRow {
  readonly id: string;
  readonly job_type: string;
  readonly model: string;
  readonly shard_size: number;
  readonly priority: number;
  readonly items_left: number;
  readonly pending_tasks: number;
  /** Milliseconds since the epoch. */
  readonly last_served_ms: number;
}

/** An open job, as far as scheduling is concerned. */
export interface ScheduledJob extends WaitingJob, WorkKind {
  readonly shardSize: number;
  readonly pendingTasks: number;
}

export function toScheduledJob(row: ScheduledJobRow): ScheduledJob {
  return {
    id: row.id,
    jobType: row.job_type,
    model: row.model,
    shardSize: row.shard_size,
    priority: row.priority,
    itemsLeft: row.items_left,
    pendingTasks: row.pending_tasks,
    lastServedAt: row.last_served_ms,
  };
}
