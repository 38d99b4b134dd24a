import { JobExplanation } from '@macbatch/contract';
import { JOB_WAITS } from '@macbatch/core';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { endsText, explanationText } from './explanation-text.ts';

beforeEach(() => {
  vi.stubEnv('TZ', 'UTC');
});
afterEach(() => {
  vi.unstubAllEnvs();
});

const ID = '0198c0de-0000-7000-8000-000000000000';
const RUNNING = {
  at: '2026-03-02T09:00:00.000Z',
  job: {
    id: ID,
    state: 'running',
    job_type: 'chat',
    model: 'qwen3',
    shard_size: 10,
    priority: 0,
    retry_on: 'attempts',
    created_at: '2026-03-02T08:00:00.000Z',
    finished_at: null,
    cancelled_at: null,
    items: { total: 2000, ok: 1240, error: 0, failed: 0, reused: 0, repeated: 0, open: 760 },
    tasks: { total: 200, pending: 72, leased: 4, done: 124, failed: 0 },
    leases_granted: 128,
    lease_expired_events: 0,
  },
  waits_for: 'running',
  workers: 2,
  busy_workers: 2,
  offered_models: ['qwen3'],
  before: { jobs: 0, items: 0 },
  held: {
    tasks: 4,
    workers: 2,
    absent_workers: 0,
    oldest_lease_seconds: 34,
    absent_lease_seconds: null,
  },
  pace: { told: 2.5, measured: 2.31 },
  estimate: {
    likely_seconds: 304,
    low_seconds: 261,
    high_seconds: 430,
    likely_at: '2026-03-02T09:05:04.000Z',
    low_at: '2026-03-02T09:04:21.000Z',
    high_at: '2026-03-02T09:07:10.000Z',
  },
  no_estimate: null,
};
/** An explanation as it comes over the wire. */
const told = (over: object = {}) => JobExplanation.parse({ ...RUNNING, ...over });
const GAP = { estimate: null, no_estimate: 'no_worker' };

it('a job that runs: how far it is, who has it, when it should end and why that is thought', () => {
  expect(explanationText(told())).toBe(
    [
      `Job ${ID} is running: 1,240 of 2,000 items have ended; 760 are left.`,
      'It runs: 2 workers hold 4 tasks of it, the oldest for 34 s.',
      'It should end at about 09:05, in 5 min; the range is 09:04–09:07, 4 min to 7 min.',
      '2 workers can do it, 2.50 items/s together. In the last minutes it got 2.31 items/s.',
    ].join('\n'),
  );
  expect(endsText(told())).toBe('ends 09:04–09:07');
  expect(endsText(told(GAP))).toBeNull();
});

it('lets no worker write to the terminal by what it calls a model', () => {
  const evil = { waits_for: 'waiting_for_worker', workers: 0, offered_models: ['qwen3\u001b[2J\r'] };
  expect(explanationText(told({ ...GAP, ...evil }))).toContain('offer qwen3\ufffd[2J\ufffd.');
});

describe('what it waits for', () => {
  const cases: [string, object, string][] = [
    ['finished', {}, 'Nothing of it is left to run.'],
    ['cancelled', {}, 'It was cancelled: nothing more of it is run.'],
    [
      'waiting_for_worker',
      { workers: 0, offered_models: ['llama', 'mistral'] },
      'It waits for a worker: none that is alive offers chat with qwen3. For chat they offer llama, mistral.',
    ],
    [
      'waiting_for_worker',
      { workers: 0, offered_models: [] },
      'It waits for a worker: none that is alive offers chat with qwen3. None does chat at all.',
    ],
    [
      'running',
      {
        before: { jobs: 1, items: 30 },
        held: { ...RUNNING.held, tasks: 1, workers: 1 },
      },
      'It runs: 1 worker holds 1 task of it, the oldest for 34 s. Before the rest of it its workers take 1 job with 30 items left.',
    ],
    ['all_leased', {}, 'All that is left of it is held: 4 tasks by 2 workers, the oldest for 34 s.'],
    [
      'only_slow_holder',
      { held: { ...RUNNING.held, tasks: 1, workers: 1 } },
      'It waits for one worker, which holds all that is left of it, 1 task, the oldest for 34 s, while others have nothing to do.',
    ],
    [
      'behind_other_jobs',
      { before: { jobs: 3, items: 1200 } },
      'It waits for jobs that are served first: its 2 workers will take 3 jobs with 1,200 items left before it.',
    ],
    ['next_in_line', { busy_workers: 1 }, 'It is next: the first of its 2 workers that asks takes it.'],
    ['next_in_line', {}, 'It is next: its 2 workers finish what they hold.'],
    ['next_in_line', { workers: 1, busy_workers: 1 }, 'It is next: its worker finishes what it holds.'],
  ];
  it.each(cases)('%s', (code, over, sentence) => {
    expect(explanationText(told({ waits_for: code, ...over })).split('\n')[1]).toBe(sentence);
  });

  it('has a sentence for every code', () => {
    expect(new Set(cases.map(([code]) => code))).toEqual(new Set(JOB_WAITS));
  });

  it('tells of holders that are silent', () => {
    const held = { ...RUNNING.held, absent_workers: 1, absent_lease_seconds: 61 };
    expect(explanationText(told({ held }))).toContain(
      '1 worker that holds some of it is silent: unless heard of before, the tasks go to others in 61 s.',
    );
  });

  it('says why an end can’t be said, and nothing of the kind where there is none', () => {
    expect(explanationText(told(GAP))).toContain('can’t be said while no worker can do it');
    expect(explanationText(told({ ...GAP, no_estimate: 'nothing_measured' }))).toContain('can’t be said yet');
    const ended = explanationText(told({ ...GAP, no_estimate: 'not_open', waits_for: 'finished' }));
    expect(ended.split('\n')).toHaveLength(2);
  });

  it('counts items that have no good outcome', () => {
    const items = { ...RUNNING.job.items, error: 2, failed: 1, open: 0 };
    expect(explanationText(told({ job: { ...RUNNING.job, state: 'done', items } }))).toContain(
      'is done with 3 failed items: 1,243 of 2,000 items have ended, 3 of them without a good outcome.',
    );
  });
});
