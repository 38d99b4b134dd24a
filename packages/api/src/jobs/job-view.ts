import type { JobSummary, JobView } from '@macbatch/contract';
import { jobTypeOf, MAX_LEASE_BYTES, MAX_TASK_BYTES, mixesBuilds } from '@macbatch/core';
import type { Job, JobDetail } from '@macbatch/store';

const iso = (date: Date | null): string | null => date?.toISOString() ?? null;

/** A job as an entry of the job list. */
export function jobSummary(job: Job): JobSummary {
  return {
    id: job.id,
    name: job.name,
    submitted_by: job.submittedBy,
    group: job.owner,
    state: job.state,
    job_type: jobTypeOf(job.jobType),
    model: job.model,
    shard_size: job.shardSize,
    priority: job.priority,
    retry_on: job.retryOn,
    created_at: job.createdAt.toISOString(),
    finished_at: iso(job.finishedAt),
    cancelled_at: iso(job.cancelledAt),
    items: { ...job.items, reused: job.reused, repeated: job.repeated },
    tasks: job.tasks,
    smaller_tasks: job.smallerTasks,
    max_task_bytes: MAX_TASK_BYTES,
    max_lease_bytes: MAX_LEASE_BYTES,
    leases_granted: job.leasesGranted,
    lease_expired_events: job.leaseExpiredEvents,
  };
}

/** A job with all details, as JSON text that contains the exact text of its parameters. */
export function jobViewText(job: JobDetail): string {
  return `${JSON.stringify(viewWithoutParams(job)).slice(0, -1)},"params":${job.params}}`;
}

function viewWithoutParams(job: JobDetail): Omit<JobView, 'params'> {
  return {
    ...jobSummary(job),
    models_used: job.modelsUsed.map(({ name, digest }) => ({ name, digest })),
    waiting_for: job.hasNoOffer ? `a worker that offers ${job.jobType} with ${job.model}` : null,
    mixed_models: mixesBuilds(job.modelsUsed),
    workers: job.workers.map((worker) => ({
      worker_id: worker.workerId,
      leases: worker.leases,
      tasks_done: worker.tasksDone,
      tasks_failed: worker.tasksFailed,
      items_ok: worker.itemsOk,
      items_error: worker.itemsError,
      first_lease_at: worker.firstLeaseAt.toISOString(),
      last_report_at: worker.lastReportAt.toISOString(),
    })),
  };
}
