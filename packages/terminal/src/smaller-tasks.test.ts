import { expect, it } from 'vitest';
import { smallerTasksText } from './smaller-tasks.ts';
import { jobSummary } from './testing/job-summary.ts';

it('says how many tasks are smaller than the shard size, and why', () => {
  const job = { ...jobSummary('j', 'queued'), smaller_tasks: 2, max_task_bytes: 16 * 1024 * 1024 };
  expect(smallerTasksText(job)).toBe(
    '2 of 3 tasks have fewer than 10 items, because a task holds at most 16 MiB of payloads',
  );
});

it('says nothing when every task has the shard size, or an older control plane does not say', () => {
  expect(smallerTasksText(jobSummary('j', 'queued'))).toBe('');
  expect(smallerTasksText({ ...jobSummary('j', 'queued'), smaller_tasks: 2, max_task_bytes: null })).toBe('');
});
