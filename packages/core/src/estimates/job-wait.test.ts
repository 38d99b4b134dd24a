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

describe('what a job waits for', () => {
  it.each<[JobWait['code'], string, Parameters<typeof waitOf>]>([
    ['cancelled', 'is nothing once it is cancelled', [[poolWorker('a', held)], { state: 'cancelled' }]],
    ['finished', 'is nothing once it is done', [[], { state: 'done', pendingTasks: 0 }]],
    ['finished', 'is nothing once it has failed', [[], { state: 'failed', pendingTasks: 0 }]],
    ['waiting_for_worker', 'is a worker where there is none', [[]]],
    ['waiting_for_worker', 'is one that is alive', [[poolWorker('a', away)]]],
    ['waiting_for_worker', 'is one that offers its model', [[poolWorker('a', { models: ['x'] })]]],
    ['waiting_for_worker', 'is one that offers its type', [[poolWorker('a', { jobTypes: ['chat'] })]]],
    [
      'waiting_for_worker',
      'is a worker, whoever fell asleep over it',
      [[poolWorker('a', { ...away, ...held })], { pendingTasks: 0 }],
    ],
    ['running', 'is nothing while it runs', [[poolWorker('a', held)]]],
    ['running', 'though others come first', [[poolWorker('a', held)], {}, [openJob('i'), openJob('j')]]],
    [
      'all_leased',
      'are its holders where all of it is held',
      [[poolWorker('a', held), poolWorker('b', held)], { pendingTasks: 0 }],
    ],
    [
      'all_leased',
      'is its only holder while all others work',
      [[poolWorker('a', held), poolWorker('b', busy)], { pendingTasks: 0 }],
    ],
    ['all_leased', 'is the only worker', [[poolWorker('a', held)], { pendingTasks: 0 }]],
    [
      'all_leased',
      'is its only holder while another runs copies of it',
      [[poolWorker('a', held), poolWorker('b', { copies: [heldWork('j')] })], { pendingTasks: 0 }],
    ],
    [
      'only_slow_holder',
      'is its only holder while others are idle',
      [[poolWorker('a', held), poolWorker('b')], { pendingTasks: 0 }],
    ],
    [
      'only_slow_holder',
      'the more so if that is away',
      [[poolWorker('a', { ...away, ...held }), poolWorker('b')], { pendingTasks: 0 }],
    ],
    [
      'behind_other_jobs',
      'are jobs that come first',
      [[poolWorker('a', busy)], {}, [openJob('i'), openJob('j')]],
    ],
    [
      'next_in_line',
      'is that a worker asks, whoever fell asleep over some of it',
      [[poolWorker('a', { ...away, ...held }), poolWorker('b')]],
    ],
    ['next_in_line', 'is that a worker asks', [[poolWorker('a')]]],
    [
      'next_in_line',
      'is a worker that is busy with jobs behind it',
      [[poolWorker('a', busy)], {}, [openJob('j'), openJob('i')]],
    ],
    [
      'next_in_line',
      'are no jobs of other workers',
      [[poolWorker('a')], {}, [openJob('i', { model: 'x' }), openJob('j')]],
    ],
    [
      'next_in_line',
      'are no jobs of which nothing is pending',
      [[poolWorker('a')], {}, [openJob('i', { pendingTasks: 0 }), openJob('j')]],
    ],
  ])('%s: %s', (code, _, args) => {
    expect(waitOf(...args).code).toBe(code);
  });

  it('is told in numbers', () => {
    const workers = [
      poolWorker('a', { held: [heldWork('j', { tasks: 2, oldestSeconds: 7 }), heldWork('i')] }),
      poolWorker('b', { ...away, held: [heldWork('j', { tasks: 1, oldestSeconds: 70, secondsLeft: 20 })] }),
      poolWorker('c', { models: ['x', 'noop', 'y'] }),
      poolWorker('d', { models: ['x'] }),
      poolWorker('e', { ...away, models: ['gone'] }),
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
      busyWorkers: 1,
      offeredModels: ['noop', 'x', 'y'],
      jobsBefore: 2,
      itemsBefore: 42,
      held: { tasks: 3, workers: 2, absentWorkers: 1, oldestSeconds: 70, absentSecondsLeft: 20 },
    });
  });
});
