import { describe, expect, it } from 'vitest';
import { heldWork, openJob, poolState, poolWorker } from '../testing/pool.ts';
import {
  estimateJob,
  type JobEstimateRange,
  NO_ESTIMATE_REASONS,
  type NoEstimateReason,
} from './job-estimate.ts';
import type { MeasuredRate } from './measured-rate.ts';
import type { OpenJob, PoolState, PoolWorker } from './pool-state.ts';

const NOOP = { jobType: 'noop', model: 'noop' };
/** Half of what it tells, after a long time. */
const SLOWER: MeasuredRate = { itemsPerSecond: 0.5, trust: 0.8, sinceSeconds: 1e9 };
/** As it tells. */
const TOLD: MeasuredRate = { itemsPerSecond: 1, trust: 0.5, sinceSeconds: 1e9 };
const tells = (itemsPerSecond: number) => ({ paces: [{ ...NOOP, itemsPerSecond, loaded: false }] });

function forecast(
  workers: readonly PoolWorker[],
  jobs: readonly OpenJob[] = [openJob('j')],
  measured: Readonly<Record<string, MeasuredRate>> = {},
  over: Partial<PoolState> = {},
): JobEstimateRange | NoEstimateReason {
  return estimateJob('j', poolState(workers, jobs, over), new Map(Object.entries(measured)));
}
function known(found: JobEstimateRange | NoEstimateReason): JobEstimateRange {
  if (typeof found === 'string') throw new Error(`no forecast: ${found}`);
  return found;
}
const likely = (...args: Parameters<typeof forecast>) => known(forecast(...args)).likely;

describe('when a job ends', () => {
  it('is not told where it would be no number that JSON knows', () => {
    expect(forecast([poolWorker('a', { ...tells(1e-306), mayLeave: true })])).toBe('nothing_measured');
  });

  it.each<[string, Parameters<typeof forecast>, number]>([
    // And half of a last task, here of one item.
    ['its items at the pace of the pool', [[poolWorker('a'), poolWorker('b', tells(3))]], 25 + 1 / 6],
    ['after the jobs before it', [[poolWorker('a')], [openJob('i'), openJob('j'), openJob('k')]], 200.5],
    [
      'without waiting for jobs that its workers do not offer',
      [[poolWorker('a')], [openJob('i', { model: 'other' }), openJob('j')]],
      100.5,
    ],
    [
      'after what its workers hold of jobs behind it',
      [[poolWorker('a', { held: [heldWork('k')] })], [openJob('j'), openJob('k')]],
      110.5,
    ],
    [
      'when its holder is through, where all of it is held, whoever else has time',
      [
        [poolWorker('a', { held: [heldWork('j', { items: 100 })] }), poolWorker('b', tells(50))],
        [openJob('j', { pendingTasks: 0 })],
      ],
      100,
    ],
    // 40 s until the lease has ended, and then an item of the other.
    [
      'when a lease of who is away has ended and others have done it',
      [
        [
          poolWorker('a', { alive: false, held: [heldWork('j', { items: 4, secondsLeft: 40 })] }),
          poolWorker('b'),
        ],
        [openJob('j', { pendingTasks: 0, itemsToRun: 4 })],
      ],
      41,
    ],
    [
      'not before one item is through',
      [[poolWorker('a', { ...tells(2), slots: 10 })], [openJob('j', { itemsToRun: 1 })]],
      5,
    ],
    [
      'with half of a last task of the slowest that works on it',
      [
        [
          poolWorker('a', { held: [heldWork('j', { items: 1 })] }),
          poolWorker('b', { ...tells(4), held: [heldWork('j', { items: 4 })] }),
          poolWorker('c', tells(5)),
        ],
        [openJob('j', { shardSize: 8, itemsToRun: 105 })],
      ],
      1 + (100 - 5) / 10 + 4,
    ],
    [
      'by the usual pace, of who was never measured',
      [[poolWorker('a'), poolWorker('b', { paces: [] })]],
      50.5,
    ],
    [
      'between what a worker tells and what was measured of it',
      [[poolWorker('a', { held: [heldWork('j')] })], [openJob('j')], { a: SLOWER }],
      125 + 0.5 / 0.8,
    ],
    [
      'by what it tells, where it works on something else by now',
      [[poolWorker('a')], [openJob('j')], { a: SLOWER }],
      100.5,
    ],
  ])('is %s', (_, args, seconds) => {
    expect(likely(...args)).toBeCloseTo(seconds, 6);
  });

  it.each<[NoEstimateReason, Parameters<typeof forecast>]>([
    ['not_open', [[poolWorker('a')], []]],
    ['no_worker', [[]]],
    ['no_worker', [[poolWorker('a', { models: ['other'] })]]],
    ['no_worker', [[poolWorker('a', { alive: false, held: [heldWork('j')] })]]],
    ['nothing_measured', [[poolWorker('a', { paces: [] })]]],
    // Of a job that comes first nobody knows how long it takes.
    [
      'nothing_measured',
      [[poolWorker('a', { models: ['noop', 'new'] })], [openJob('i', { model: 'new' }), openJob('j')]],
    ],
  ])('is not said: %s', (gap, args) => {
    expect(forecast(...args)).toBe(gap);
    expect(NO_ESTIMATE_REASONS).toContain(gap);
  });
});

describe('with copies for who has nothing to do', () => {
  const slow = poolWorker('a', { held: [heldWork('j', { items: 100 })] });
  const away = poolWorker('a', { alive: false, held: [heldWork('j', { items: 100, secondsLeft: 80 })] });
  const idle = poolWorker('b', tells(9));
  const all = openJob('j', { pendingTasks: 0 });
  const ITEM = 0.5 / 9;

  it.each<[string, PoolWorker[], OpenJob[], number]>([
    ['a job of which all is held is shared by all', [slow, idle], [all], 10 + ITEM],
    ['also what is held by one who is away', [away, idle], [all], 100 / 9 + ITEM],
    ['not while others have something else to do', [slow, idle], [all, openJob('k')], 100],
    ['not by those who can’t do it', [slow, poolWorker('c', { models: ['other'] })], [all], 100],
    ['not by its only holder', [slow], [all], 100],
  ])('%s', (_, workers, jobs, seconds) => {
    const found = known(forecast(workers, jobs, {}, { givesCopies: true }));
    expect(found.likely).toBeCloseTo(seconds, 6);
    expect(found.high).toBeGreaterThanOrEqual(known(forecast(workers, jobs)).likely);
  });
});

describe('with a model loaded', () => {
  const loaded = (model: string, itemsPerSecond: number) => ({
    jobType: 'noop',
    model,
    itemsPerSecond,
    loaded: true,
  });
  const both = { models: ['noop', 'other'] };
  const other = { jobType: 'noop', model: 'other', itemsPerSecond: 1, loaded: false };

  it('a worker keeps it while its job has work and others see to the one that comes first', () => {
    // The first job would be b's; c has its model, and is through with it soon.
    const workers = [
      poolWorker('b', { ...both, paces: [loaded('noop', 1), other] }),
      poolWorker('c', { models: ['other'], paces: [loaded('other', 1)] }),
    ];
    const jobs = [openJob('i', { model: 'other' }), openJob('j')];
    expect(likely(workers, jobs)).toBeCloseTo(100.5, 6);
    const unloaded = workers.map((worker) => ({
      ...worker,
      paces: worker.paces.map((pace) => ({ ...pace, loaded: false })),
    }));
    expect(likely(unloaded, jobs)).toBeCloseTo(150.5, 6);
  });
});

describe('the range', () => {
  it.each<[string, Parameters<typeof forecast>, number, number]>([
    // A tenth, a half over the root of the items' number, and 0.3 while none has been tried; and a last task.
    ['is wide before any of its items has run', [[poolWorker('a')]], 100 * 0.55, 101 * 1.45],
    [
      'is narrow once they do, after a minute',
      [[poolWorker('a', { held: [heldWork('j')] })], [openJob('j')], { a: { ...TOLD, sinceSeconds: 60 } }],
      100 * (0.85 - 0.3 / Math.E),
      101 * (1.15 + 0.3 / Math.E),
    ],
    ['is wide for one item', [[poolWorker('a')], [openJob('j', { itemsToRun: 1 })]], 0.4, 2 * 1.9],
    [
      'reckons with half the pace of who may sleep',
      [[poolWorker('a', { mayLeave: true })]],
      100 * 0.55,
      202 * 1.45,
    ],
    [
      'goes from what a worker tells to what was measured of it',
      [[poolWorker('a', { held: [heldWork('j')] })], [openJob('j')], { a: SLOWER }],
      85,
      (101 / 0.6) * 1.15,
    ],
    [
      'reckons with the lease of a holder that may sleep',
      [
        [
          poolWorker('a', { mayLeave: true, held: [heldWork('j', { items: 100, secondsLeft: 500 })] }),
          poolWorker('b'),
        ],
        [openJob('j', { pendingTasks: 0 })],
      ],
      55,
      501 * 1.45,
    ],
  ])('%s', (_, args, low, high) => {
    const found = known(forecast(...args));
    expect(found.low).toBeCloseTo(low, 6);
    expect(found.high).toBeCloseTo(high, 6);
  });
});
