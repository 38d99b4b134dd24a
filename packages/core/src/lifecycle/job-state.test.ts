import { expect, it } from 'vitest';
import { JOB_STATES, type JobState, jobState } from './job-state.ts';

const none = { pending: 0, leased: 0, done: 0, failed: 0 };

const CASES: readonly (readonly [string, Partial<typeof none>, number, boolean, JobState])[] = [
  ['no lease was granted yet', { pending: 4 }, 0, false, 'queued'],
  ['some tasks are done without a lease', { pending: 3, done: 1 }, 0, false, 'queued'],
  ['a task is leased', { pending: 3, leased: 1 }, 1, false, 'running'],
  ['all leases expired and none is held', { pending: 4 }, 4, false, 'running'],
  ['one task is still leased', { leased: 1, done: 3 }, 4, false, 'running'],
  ['one task failed, but others go on', { pending: 1, failed: 3 }, 9, false, 'running'],
  ['every task is done', { done: 4 }, 4, false, 'done'],
  ['every task was done without a lease', { done: 4 }, 0, false, 'done'],
  ['one of the tasks failed', { done: 3, failed: 1 }, 6, false, 'failed'],
  ['every task failed', { failed: 4 }, 12, false, 'failed'],
  ['it is cancelled before it began', { pending: 4 }, 0, true, 'cancelled'],
  ['it is cancelled while it runs', { leased: 2, done: 2 }, 4, true, 'cancelled'],
  ['it is cancelled when all is done', { done: 4 }, 4, true, 'cancelled'],
];

it.each(CASES)('A1: derives the state of a job when %s', (_when, tasks, leasesGranted, cancelled, state) => {
  expect(jobState({ cancelled, tasks: { ...none, ...tasks }, leasesGranted })).toBe(state);
});

it('A1: the table above covers every state of a job', () => {
  expect(new Set(CASES.map(([, , , , state]) => state))).toEqual(new Set(JOB_STATES));
});
