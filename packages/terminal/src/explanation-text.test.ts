import { JobExplanation } from '@macbatch/contract';
import { JOB_WAITS } from '@macbatch/core';
import { troubleText } from '@macbatch/wording';
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
/** An explanation as the API sends it. */
const explanation = (over: object = {}) => JobExplanation.parse({ ...RUNNING, ...over });
const NO_WORKER = { estimate: null, no_estimate: 'no_worker' };

it('describes progress, holders, expected end and rates of a running job', () => {
  expect(explanationText(explanation())).toBe(
    [
      `Job ${ID} is running: 1,240 of 2,000 items have ended; 760 are left.`,
      'It runs: 2 workers hold 4 tasks, the oldest for 34 s.',
      'It should end at about 09:05 UTC, in 5 min; the range is 09:04–09:07 UTC, 4 min to 7 min.',
      '2 workers can run it, 2.50 items/s together. In the last minutes its rate was 2.31 items/s.',
    ].join('\n'),
  );
  expect(endsText(explanation())).toBe('ends 09:04–09:07 UTC');
  expect(endsText(explanation(NO_WORKER))).toBeNull();
});

it('replaces control characters in model names', () => {
  const evil = { waits_for: 'waiting_for_worker', workers: 0, offered_models: ['qwen3\u001b[2J\r'] };
  expect(explanationText(explanation({ ...NO_WORKER, ...evil }))).toContain('offer qwen3\ufffd[2J\ufffd.');
});

describe('the reason why a job waits', () => {
  const cases: [string, object, string][] = [
    ['finished', {}, 'No item is left to run.'],
    ['cancelled', {}, 'It was cancelled: no more items run.'],
    [
      'waiting_for_worker',
      { workers: 0, offered_models: ['llama', 'mistral'] },
      'It waits for a worker: no worker that is alive offers chat with qwen3. For chat, workers offer llama, mistral.',
    ],
    [
      'waiting_for_worker',
      { workers: 0, offered_models: [] },
      'It waits for a worker: no worker that is alive offers chat with qwen3. No worker offers chat with any model.',
    ],
    [
      'running',
      {
        before: { jobs: 1, items: 30 },
        held: { ...RUNNING.held, tasks: 1, workers: 1 },
      },
      'It runs: 1 worker holds 1 task, the oldest for 34 s. Its workers take 1 job with 30 items left before the rest of this one.',
    ],
    ['all_leased', {}, 'Workers hold all of its remaining tasks: 4 tasks on 2 workers, the oldest for 34 s.'],
    [
      'only_slow_holder',
      { held: { ...RUNNING.held, tasks: 1, workers: 1 } },
      'It waits for one worker, which holds its last 1 task, the oldest for 34 s, while other workers are idle.',
    ],
    [
      'behind_other_jobs',
      { before: { jobs: 3, items: 1200 } },
      'It waits for other jobs: its 2 workers will take 3 jobs with 1,200 items left first.',
    ],
    ['next_in_line', { busy_workers: 1 }, 'It is next: one of its 2 workers will take it.'],
    ['next_in_line', {}, 'It is next, when its 2 workers have finished the tasks they hold.'],
    [
      'next_in_line',
      { workers: 1, busy_workers: 1 },
      'It is next, when its worker has finished the tasks it holds.',
    ],
  ];
  it.each(cases)('%s', (code, over, sentence) => {
    expect(explanationText(explanation({ waits_for: code, ...over })).split('\n')[1]).toBe(sentence);
  });

  it('has a sentence for every code', () => {
    expect(new Set(cases.map(([code]) => code))).toEqual(new Set(JOB_WAITS));
  });

  const trouble = {
    worker_id: 'ann',
    job_type: 'chat',
    model: 'qwen3',
    endpoint: 'openai-endpoint 127.0.0.1:8080',
    code: 'unauthorized',
    message: 'the model server answered 401: Incorrect API key provided',
    since_seconds: 61,
    next_try_seconds: 3,
    needs_attention: true,
  };

  it('says what a model server said, since when, and when it is tried again', () => {
    const troubles = [trouble, { ...trouble, worker_id: 'bob' }];
    const text = explanationText(
      JobExplanation.parse({ ...RUNNING, waits_for: 'waiting_for_worker', workers: 0, troubles }),
    );
    expect(text).toContain('It waits for a model server: no worker can run chat with qwen3 now.');
    expect(text).toMatch(/ann, bob: .* 401: Incorrect API key provided; .* next in 3.*--endpoint-key-env/);
  });

  it('calls a retry that is due “now”', () => {
    expect(troubleText({ ...trouble, next_try_seconds: 0 })).toContain('until it works, next now.');
  });

  it('names silent holders', () => {
    const held = { ...RUNNING.held, absent_workers: 1, absent_lease_seconds: 61 };
    expect(explanationText(explanation({ held }))).toContain(
      '1 worker that holds tasks of it is silent: the tasks go to other workers in 61 s unless a heartbeat arrives before.',
    );
  });

  it('says why there is no estimate, and nothing about it when the job has ended', () => {
    expect(explanationText(explanation(NO_WORKER))).toContain(
      'no estimate of its end while no worker can run it',
    );
    expect(explanationText(explanation({ ...NO_WORKER, no_estimate: 'nothing_measured' }))).toContain(
      'no estimate of its end yet',
    );
    const ended = explanationText(
      explanation({ ...NO_WORKER, no_estimate: 'not_open', waits_for: 'finished' }),
    );
    expect(ended.split('\n')).toHaveLength(2);
  });

  it('counts items that ended with an error', () => {
    const items = { ...RUNNING.job.items, error: 2, failed: 1, open: 0 };
    expect(explanationText(explanation({ job: { ...RUNNING.job, state: 'done', items } }))).toContain(
      'is done with 3 failed items: 1,243 of 2,000 items have ended, 3 of them with an error.',
    );
  });
});
