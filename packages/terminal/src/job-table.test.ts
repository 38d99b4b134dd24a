import { expect, it } from 'vitest';
import { jobTable } from './job-table.ts';
import { jobSummary } from './testing/job-summary.ts';

const JOB = {
  ...jobSummary('0197', 'running'),
  name: 'reviews.csv',
  submitted_by: 'ann',
  items_per_second: 2.5,
  active_workers: 3,
  waits_for: 'running',
  estimate: {
    likely_seconds: 60,
    low_seconds: 50,
    high_seconds: 90,
    likely_at: '2026-01-01T00:01:00Z',
    low_at: '2026-01-01T00:00:50Z',
    high_at: '2026-01-01T00:01:30Z',
  },
} as const;

it('shows the name, the rate, the range of the end and the workers of an open job', () => {
  const [head = '', row = ''] = jobTable([JOB]).split('\n');
  expect(head).toMatch(/^job +name +state +type +model +items +ok +failed +items\/s +ends +workers/);
  expect(row).toMatch(/^0197 +reviews\.csv +running +chat +m +30 +0 +0 +2\.50 +\S+:50–\S+:30 \S+ +3 +/);
  expect(row).toMatch(/ ann$/);
});

it('shows a job of an earlier release, and no control characters or long names', () => {
  const old = { ...JOB, name: null, submitted_by: null, items_per_second: null, estimate: null };
  expect(jobTable([old])).toMatch(/0197 +running .* – +– +3/);
  const odd = jobTable([{ ...JOB, name: `\u001b[2J${'x'.repeat(200)}` }]);
  expect(odd).not.toContain('\u001b');
  expect(odd).toContain(`${'x'.repeat(36)}…`);
});
