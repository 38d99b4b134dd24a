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

const NOOP_OFFER = { jobType: 'noop', model: 'noop' };
/** Half of the reported rate, measured for a long time. */
const MEASURED_HALF: MeasuredRate = { itemsPerSecond: 0.5, trust: 0.8, sinceSeconds: 1e9 };
/** Equal to the reported rate. */
const MEASURED_EQUAL: MeasuredRate = { itemsPerSecond: 1, trust: 0.5, sinceSeconds: 1e9 };
const reports = (itemsPerSecond: number) => ({ rates: [{ ...NOOP_OFFER, itemsPerSecond, loaded: false }] });

function estimate(
  workers: readonly PoolWorker[],
  jobs: readonly OpenJob[] = [openJob('j')],
  measured: Readonly<Record<string, MeasuredRate>> = {},
  over: Partial<PoolState> = {},
): JobEstimateRange | NoEstimateReason {
  return estimateJob('j', poolState(workers, jobs, over), new Map(Object.entries(measured)));
}
function known(found: JobEstimateRange | NoEstimateReason): JobEstimateRange {
  if (typeof found === 'string') throw new Error(`no estimate: ${found}`);
  return found;
}
const likely = (...args: Parameters<typeof estimate>) => known(estimate(...args)).likely;

describe('estimateJob', () => {
  it('returns no estimate if a number would be infinite', () => {
    expect(estimate([poolWorker('a', { ...reports(1e-306), mayLeave: true })])).toBe('nothing_measured');
  });

  it('does not count on a paused worker, except for what it holds', () => {
    const paused = poolWorker('b', { ...reports(100), paused: true });
    expect(estimate([paused])).toBe('no_worker');
    expect(likely([poolWorker('a'), paused])).toBe(likely([poolWorker('a')]));
    const held = [heldWork('j', { items: 90 })];
    expect(likely([poolWorker('a'), { ...paused, held }])).toBeLessThan(likely([poolWorker('a')]));
    expect(likely([{ ...paused, held: [heldWork('j', { items: 100 })] }])).toBeLessThan(5);
    expect(estimate([{ ...paused, held }])).toBe('no_worker');
  });

  it.each<[string, Parameters<typeof estimate>, number]>([
    // Includes half of the last task, here of one item.
    ["its items at the pool's rate", [[poolWorker('a'), poolWorker('b', reports(3))]], 25 + 1 / 6],
    [
      'its time after the jobs that go first',
      [[poolWorker('a')], [openJob('i'), openJob('j'), openJob('k')]],
      200.5,
    ],
    [
      'its own time if the jobs that go first need other workers',
      [[poolWorker('a')], [openJob('i', { model: 'other' }), openJob('j')]],
      100.5,
    ],
    [
      'its time after what its workers hold of later jobs',
      [[poolWorker('a', { held: [heldWork('k')] })], [openJob('j'), openJob('k')]],
      110.5,
    ],
    [
      "the holder's time if one worker holds all items and others are idle",
      [
        [poolWorker('a', { held: [heldWork('j', { items: 100 })] }), poolWorker('b', reports(50))],
        [openJob('j', { pendingTasks: 0 })],
      ],
      100,
    ],
    // 40 s until the lease expires, then one item of the other worker.
    [
      'the time until the lease of an absent holder expires and another worker runs the items',
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
      'at least the time of one item',
      [[poolWorker('a', { ...reports(2), slots: 10 })], [openJob('j', { itemsToRun: 1 })]],
      5,
    ],
    [
      'the time with half of the last task of the slowest holder',
      [
        [
          poolWorker('a', { held: [heldWork('j', { items: 1 })] }),
          poolWorker('b', { ...reports(4), held: [heldWork('j', { items: 4 })] }),
          poolWorker('c', reports(5)),
        ],
        [openJob('j', { shardSize: 8, itemsToRun: 105 })],
      ],
      1 + (100 - 5) / 10 + 4,
    ],
    [
      'the time with the median rate for a worker without a rate',
      [[poolWorker('a'), poolWorker('b', { rates: [] })]],
      50.5,
    ],
    [
      'the time at a rate between the reported and the measured one',
      [[poolWorker('a', { held: [heldWork('j')] })], [openJob('j')], { a: MEASURED_HALF }],
      125 + 0.5 / 0.8,
    ],
    [
      'the time at the reported rate if the worker works on another job now',
      [[poolWorker('a')], [openJob('j')], { a: MEASURED_HALF }],
      100.5,
    ],
  ])('returns %s', (_, args, seconds) => {
    expect(likely(...args)).toBeCloseTo(seconds, 6);
  });

  it.each<[NoEstimateReason, Parameters<typeof estimate>]>([
    ['not_open', [[poolWorker('a')], []]],
    ['no_worker', [[]]],
    ['no_worker', [[poolWorker('a', { models: ['other'] })]]],
    ['no_worker', [[poolWorker('a', { alive: false, held: [heldWork('j')] })]]],
    ['nothing_measured', [[poolWorker('a', { rates: [] })]]],
    // A job that goes first has no known rate.
    [
      'nothing_measured',
      [[poolWorker('a', { models: ['noop', 'new'] })], [openJob('i', { model: 'new' }), openJob('j')]],
    ],
  ])('gives the reason %s', (reason, args) => {
    expect(estimate(...args)).toBe(reason);
    expect(NO_ESTIMATE_REASONS).toContain(reason);
  });
});

describe('estimateJob with copies', () => {
  const slow = poolWorker('a', { held: [heldWork('j', { items: 100 })] });
  const away = poolWorker('a', { alive: false, held: [heldWork('j', { items: 100, secondsLeft: 80 })] });
  const idle = poolWorker('b', reports(9));
  const all = openJob('j', { pendingTasks: 0 });
  const ITEM = 0.5 / 9;

  it.each<[string, PoolWorker[], OpenJob[], number]>([
    ['shares held items between the holder and an idle worker', [slow, idle], [all], 10 + ITEM],
    ['counts on copies of what an absent worker holds', [away, idle], [all], 100 / 9 + ITEM],
    ['counts on no copies while the other worker has other work', [slow, idle], [all, openJob('k')], 100],
    [
      'counts on no copies by a worker with other models',
      [slow, poolWorker('c', { models: ['other'] })],
      [all],
      100,
    ],
    ['counts on no copies if the holder is the only worker', [slow], [all], 100],
  ])('%s', (_, workers, jobs, seconds) => {
    const found = known(estimate(workers, jobs, {}, { givesCopies: true }));
    expect(found.likely).toBeCloseTo(seconds, 6);
    expect(found.high).toBeGreaterThanOrEqual(known(estimate(workers, jobs)).likely);
  });
});

describe('estimateJob with a loaded model', () => {
  const loaded = (model: string, itemsPerSecond: number) => ({
    jobType: 'noop',
    model,
    itemsPerSecond,
    loaded: true,
  });
  const both = { models: ['noop', 'other'] };
  const other = { jobType: 'noop', model: 'other', itemsPerSecond: 1, loaded: false };

  it('keeps a worker on the job of its loaded model while another worker runs the first job', () => {
    // Without affinity, b takes the first job. With affinity, c finishes it with its loaded model.
    const workers = [
      poolWorker('b', { ...both, rates: [loaded('noop', 1), other] }),
      poolWorker('c', { models: ['other'], rates: [loaded('other', 1)] }),
    ];
    const jobs = [openJob('i', { model: 'other' }), openJob('j')];
    expect(likely(workers, jobs)).toBeCloseTo(100.5, 6);
    const unloaded = workers.map((worker) => ({
      ...worker,
      rates: worker.rates.map((rate) => ({ ...rate, loaded: false })),
    }));
    expect(likely(unloaded, jobs)).toBeCloseTo(150.5, 6);
  });
});

describe('the range of estimateJob', () => {
  it.each<[string, Parameters<typeof estimate>, number, number]>([
    // Spread: 0.1, plus 0.5 / sqrt(items), plus 0.3 before any item has run. The late end adds the last task.
    ['is wide before any item has run', [[poolWorker('a')]], 100 * 0.55, 101 * 1.45],
    [
      'is narrower after a minute',
      [
        [poolWorker('a', { held: [heldWork('j')] })],
        [openJob('j')],
        { a: { ...MEASURED_EQUAL, sinceSeconds: 60 } },
      ],
      100 * (0.85 - 0.3 / Math.E),
      101 * (1.15 + 0.3 / Math.E),
    ],
    ['is wide for one item', [[poolWorker('a')], [openJob('j', { itemsToRun: 1 })]], 0.4, 2 * 1.9],
    [
      'assumes half the rate of a worker that may sleep',
      [[poolWorker('a', { mayLeave: true })]],
      100 * 0.55,
      202 * 1.45,
    ],
    [
      'goes from the reported to the measured rate',
      [[poolWorker('a', { held: [heldWork('j')] })], [openJob('j')], { a: MEASURED_HALF }],
      85,
      (101 / 0.6) * 1.15,
    ],
    [
      'waits for the lease of a holder that may sleep',
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
    const found = known(estimate(...args));
    expect(found.low).toBeCloseTo(low, 6);
    expect(found.high).toBeCloseTo(high, 6);
  });
});
