import { describe, expect, it } from 'vitest';
import { heldWork, openJob, poolState, poolWorker } from '../testing/pool.ts';
import { type JobWait, jobWait } from './job-wait.ts';
import type { OpenJob, PoolWorker } from './pool-state.ts';

const JOB = { id: 'j', jobType: 'noop', model: 'noop', state: 'running', pendingTasks: 10 } as const;

function waitOf(
  workers: readonly PoolWorker[],
  job: Partial<Parameters<typeof jobWait>[0]> = {},
  jobs: readonly OpenJob[] = [openJob('j')],
): JobWait {
  return jobWait({ ...JOB, ...job }, poolState(workers, jobs));
}
const held = { held: [heldWork('j')] };
const busy = { held: [heldWork('i')] };
const away = { alive: false };
const DOWN = {
  jobType: 'noop',
  model: 'noop',
  endpoint: 'here',
  code: 'server_unreachable',
  message: 'refused',
  sinceSeconds: 3,
  nextTrySeconds: 2,
};
const BUSY = { ...DOWN, code: 'rate_limited' };

describe('jobWait', () => {
  it.each<[JobWait['code'], string, Parameters<typeof waitOf>]>([
    ['cancelled', 'a cancelled job', [[poolWorker('a', held)], { state: 'cancelled' }]],
    ['finished', 'a done job', [[], { state: 'done', pendingTasks: 0 }]],
    ['finished', 'a failed job', [[], { state: 'failed', pendingTasks: 0 }]],
    ['waiting_for_worker', 'no worker exists', [[]]],
    ['waiting_for_worker', 'no worker is alive', [[poolWorker('a', away)]]],
    ['waiting_for_worker', 'no worker offers its model', [[poolWorker('a', { models: ['x'] })]]],
    ['waiting_for_worker', 'no worker offers its job type', [[poolWorker('a', { jobTypes: ['chat'] })]]],
    [
      'waiting_for_worker',
      'the only holder is not alive',
      [[poolWorker('a', { ...away, ...held })], { pendingTasks: 0 }],
    ],
    [
      'waiting_for_worker',
      'the model server of the only holder does not answer',
      [[poolWorker('a', { ...held, troubles: [DOWN] })]],
    ],
    ['running', 'the holder’s model server is busy', [[poolWorker('a', { ...held, troubles: [BUSY] })]]],
    ['running', 'an alive worker holds a task', [[poolWorker('a', held)]]],
    [
      'running',
      'an alive worker holds a task, though other jobs go first',
      [[poolWorker('a', held)], {}, [openJob('i'), openJob('j')]],
    ],
    [
      'all_leased',
      'its workers hold all tasks',
      [[poolWorker('a', held), poolWorker('b', held)], { pendingTasks: 0 }],
    ],
    [
      'all_leased',
      'one worker holds all tasks while the others are busy',
      [[poolWorker('a', held), poolWorker('b', busy)], { pendingTasks: 0 }],
    ],
    ['all_leased', 'the only worker holds all tasks', [[poolWorker('a', held)], { pendingTasks: 0 }]],
    [
      'all_leased',
      'one worker holds all tasks while another runs copies of it',
      [[poolWorker('a', held), poolWorker('b', { copies: [heldWork('j')] })], { pendingTasks: 0 }],
    ],
    [
      'only_slow_holder',
      'one worker holds all tasks while others are idle',
      [[poolWorker('a', held), poolWorker('b')], { pendingTasks: 0 }],
    ],
    [
      'only_slow_holder',
      'an absent worker holds all tasks while others are idle',
      [[poolWorker('a', { ...away, ...held }), poolWorker('b')], { pendingTasks: 0 }],
    ],
    ['behind_other_jobs', 'other jobs go first', [[poolWorker('a', busy)], {}, [openJob('i'), openJob('j')]]],
    [
      'next_in_line',
      'a worker is free, though a sleeping worker holds a task',
      [[poolWorker('a', { ...away, ...held }), poolWorker('b')]],
    ],
    ['next_in_line', 'a worker is free', [[poolWorker('a')]]],
    [
      'next_in_line',
      'its worker is busy with a later job',
      [[poolWorker('a', busy)], {}, [openJob('j'), openJob('i')]],
    ],
    [
      'next_in_line',
      'the earlier jobs need other workers',
      [[poolWorker('a')], {}, [openJob('i', { model: 'x' }), openJob('j')]],
    ],
    [
      'next_in_line',
      'the earlier jobs have no pending task',
      [[poolWorker('a')], {}, [openJob('i', { pendingTasks: 0 }), openJob('j')]],
    ],
  ])('%s: %s', (code, _, args) => {
    expect(waitOf(...args).code).toBe(code);
  });

  it('counts workers, earlier jobs and held tasks', () => {
    const workers = [
      poolWorker('a', { held: [heldWork('j', { tasks: 2, oldestSeconds: 7 }), heldWork('i')] }),
      poolWorker('b', { ...away, held: [heldWork('j', { tasks: 1, oldestSeconds: 70, secondsLeft: 20 })] }),
      poolWorker('c', { models: ['x', 'noop', 'y'] }),
      poolWorker('d', { models: ['x'] }),
      poolWorker('e', { ...away, models: ['other'] }),
    ];
    const jobs = [
      openJob('h', { itemsToRun: 30 }),
      openJob('i', { itemsToRun: 12, model: 'x' }),
      openJob('o', { model: 'foreign' }),
      openJob('j'),
      openJob('k'),
    ];
    expect(waitOf(workers, {}, jobs)).toEqual({
      code: 'running',
      workers: 2,
      pausedWorkers: 0,
      busyWorkers: 1,
      offeredModels: ['noop', 'x', 'y'],
      jobsBefore: 2,
      itemsBefore: 42,
      held: { tasks: 3, workers: 2, absentWorkers: 1, oldestSeconds: 70, absentSecondsLeft: 20 },
      troubles: [],
    });
  });

  it('lists why workers that are alive cannot run it', () => {
    const workers = [
      poolWorker('a', { troubles: [DOWN, { ...DOWN, model: 'other' }] }),
      poolWorker('b', { ...away, troubles: [DOWN] }),
    ];
    expect(waitOf(workers).troubles).toEqual([{ ...DOWN, worker: 'a' }]);
  });
});

it('a job waits for a worker while all that offer it are paused, and counts these', () => {
  const paused = poolWorker('a', { paused: true });
  const job = { ...openJob('j'), state: 'queued' } as const;
  const wait = (workers: Parameters<typeof poolState>[0]) => jobWait(job, poolState(workers, [openJob('j')]));
  expect(wait([paused])).toMatchObject({ code: 'waiting_for_worker', workers: 0, pausedWorkers: 1 });
  expect(wait([paused, poolWorker('b')])).toMatchObject({
    code: 'next_in_line',
    workers: 1,
    pausedWorkers: 1,
  });
  // What it holds ends, but nobody takes the rest.
  expect(wait([{ ...paused, held: [heldWork('j')] }])).toMatchObject({ code: 'waiting_for_worker' });
});
