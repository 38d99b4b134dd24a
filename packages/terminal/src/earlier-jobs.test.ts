import type { JobSummary } from '@macbatch/contract';
import { expect, it } from 'vitest';
import { earlierJobsText } from './earlier-jobs.ts';

function job(id: string, state: JobSummary['state']): JobSummary {
  return {
    id,
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
    leases_granted: 0,
    lease_expired_events: 0,
  };
}

it('names other open jobs with the items that will run', () => {
  const text = earlierJobsText(
    [job('own', 'queued'), job('old', 'running'), job('done', 'done'), job('failed', 'failed')],
    'own',
  );
  expect(text).toContain('job old: 29 of 30 items of chat with m');
  expect(text).not.toContain('job own');
  expect(text).not.toContain('job done');
});

it('says nothing when every other job has ended', () => {
  expect(
    earlierJobsText(
      [job('own', 'running'), job('gone', 'cancelled'), job('done', 'done'), job('failed', 'failed')],
      'own',
    ),
  ).toBe('');
});
