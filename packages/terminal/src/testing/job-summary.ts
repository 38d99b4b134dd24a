import type { JobSummary } from '@macbatch/contract';

/** A job of thirty items in three tasks. */
export function jobSummary(id: string, state: JobSummary['state']): JobSummary {
  return {
    id,
    name: null,
    submitted_by: null,
    group: '',
    state,
    job_type: 'chat',
    model: 'm',
    shard_size: 10,
    priority: 0,
    retry_on: 'errors',
    created_at: '2026-01-01T00:00:00Z',
    finished_at: null,
    cancelled_at: null,
    items: { total: 30, ok: 0, error: 0, failed: 0, reused: 0, repeated: 0, open: 29 },
    tasks: { total: 3, pending: 3, leased: 0, done: 0, failed: 0 },
    smaller_tasks: 0,
    max_task_bytes: 16 * 1024 * 1024,
    max_lease_bytes: 32 * 1024 * 1024,
    leases_granted: 0,
    lease_expired_events: 0,
  };
}
