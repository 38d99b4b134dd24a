import { expect, it } from 'vitest';
import { earlierJobsText } from './earlier-jobs.ts';
import { jobSummary } from './testing/job-summary.ts';

it('names other open jobs with the items that will run', () => {
  const text = earlierJobsText(
    [
      jobSummary('own', 'queued'),
      jobSummary('old', 'running'),
      jobSummary('done', 'done'),
      jobSummary('failed', 'failed'),
    ],
    'own',
  );
  expect(text).toContain('job old: 29 of 30 items of chat with m');
  expect(text).not.toContain('job own');
  expect(text).not.toContain('job done');
});

it('says nothing when every other job has ended', () => {
  expect(
    earlierJobsText(
      [
        jobSummary('own', 'running'),
        jobSummary('gone', 'cancelled'),
        jobSummary('done', 'done'),
        jobSummary('failed', 'failed'),
      ],
      'own',
    ),
  ).toBe('');
});
