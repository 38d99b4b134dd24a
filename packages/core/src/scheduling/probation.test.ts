import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  hasManyErrors,
  type LeaseBudget,
  leaseBudget,
  NO_OUTCOMES,
  type WorkerOnJob,
  withOutcomes,
} from './probation.ts';

const history = (...news: readonly (readonly [ok: number, errors: number])[]) =>
  news.reduce((before, [ok, errors]) => withOutcomes(before, ok, errors), NO_OUTCOMES);
const GOOD = history([20, 0]);
const BAD = history([0, 20]);

const workerOnJob = (over: Partial<WorkerOnJob> = {}): WorkerOnJob => ({
  own: BAD,
  others: [GOOD],
  verdictPending: false,
  probationSeconds: 0,
  secondsSinceLease: 0,
  reportedSinceLease: true,
  ...over,
});

const outcomes = fc.array(fc.tuple(fc.nat({ max: 30 }), fc.nat({ max: 30 })), { maxLength: 30 });
const histories = outcomes.map((news) => history(...news));

describe('the outcome history of a worker', () => {
  it('weighs recent outcomes more than old ones', () => {
    expect(hasManyErrors(history([1000, 0], [0, 13]))).toBe(false);
    expect(hasManyErrors(history([1000, 0], [0, 14]))).toBe(true);
    expect(hasManyErrors(history([0, 1000], [14, 0]))).toBe(false);
  });

  it('has many errors from the sixth error in a row', () => {
    expect([5, 6].map((errors) => hasManyErrors(history([0, errors])))).toEqual([false, true]);
  });

  it('never counts more outcomes than arrived, and at most 20', () => {
    fc.assert(
      fc.property(outcomes, (news) => {
        const { ok, errors, errorsInARow } = history(...news);
        const sum = (which: 0 | 1) => news.reduce((total, each) => total + each[which], 0);
        expect(ok).toBeLessThanOrEqual(sum(0) + 1e-9);
        expect(errors).toBeLessThanOrEqual(sum(1) + 1e-9);
        expect(ok + errors).toBeLessThanOrEqual(20 + 1e-9);
        expect(errorsInARow).toBeLessThanOrEqual(sum(1));
      }),
    );
  });

  it('does not depend on how outcomes are split into reports', () => {
    fc.assert(
      fc.property(histories, fc.nat({ max: 40 }), fc.nat({ max: 40 }), (before, one, other) => {
        const whole = withOutcomes(before, 0, one + other);
        const parts = withOutcomes(withOutcomes(before, 0, one), 0, other);
        expect(parts.errors).toBeCloseTo(whole.errors);
        expect(parts.ok).toBeCloseTo(whole.ok);
      }),
    );
  });
});

describe('leaseBudget', () => {
  it.each<[string, Partial<WorkerOnJob>, LeaseBudget]>([
    ['all for a worker with good outcomes', { own: GOOD }, 'all'],
    ['all for a worker with few errors', { own: history([0, 5]) }, 'all'],
    [
      'all if every second item is an error on all workers',
      { own: history([5, 5], [0, 1]), others: [history([10, 10])] },
      'all',
    ],
    ['all if the other workers have as many errors: the job causes them', { others: [BAD, BAD] }, 'all'],
    ['all if there is no other worker: the job must end', { others: [] }, 'all'],
    ['none if one other worker has good outcomes', { others: [BAD, GOOD, BAD] }, 'none'],
    ['none if one other worker has one good outcome', { others: [history([1, 0])] }, 'none'],
    ['none while the only other worker has no outcome yet', { others: [], verdictPending: true }, 'none'],
    [
      'none while the others have errors too and one has no outcome yet',
      { others: [BAD], verdictPending: true },
      'none',
    ],
    ['one after a pause of a minute', { probationSeconds: 60, secondsSinceLease: 60 }, 'one'],
    ['none within the first minute', { probationSeconds: 59, secondsSinceLease: 59 }, 'none'],
    ['none before the pause has doubled', { probationSeconds: 399, secondsSinceLease: 199 }, 'none'],
    ['one after the pause has doubled', { probationSeconds: 400, secondsSinceLease: 200 }, 'one'],
    ['one after an hour at most', { probationSeconds: 1e6, secondsSinceLease: 3600 }, 'one'],
    ['one immediately after an ok outcome', { own: withOutcomes(BAD, 1, 0) }, 'one'],
    [
      'none until the outcomes of that task have arrived',
      { own: withOutcomes(BAD, 1, 0), reportedSinceLease: false },
      'none',
    ],
    ['all again after fourteen ok outcomes', { own: withOutcomes(BAD, 14, 0) }, 'all'],
  ])('returns %s', (_, over, expected) => {
    expect(leaseBudget(workerOnJob(over))).toBe(expected);
  });

  it('returns all for at least one worker, for any histories', () => {
    fc.assert(
      fc.property(fc.array(histories, { minLength: 1, maxLength: 6 }), (all) => {
        const given = all.map((own, at) => leaseBudget(workerOnJob({ own, others: all.toSpliced(at, 1) })));
        expect(given).toContain('all');
      }),
    );
  });

  it('never returns none for longer than an hour', () => {
    const seconds = fc.double({ min: 0, max: 1e7, noNaN: true });
    fc.assert(
      fc.property(
        histories,
        fc.array(histories),
        seconds,
        fc.boolean(),
        (own, others, before, verdictPending) => {
          const afterAnHour = {
            probationSeconds: before + 3600,
            secondsSinceLease: 3600,
            reportedSinceLease: false,
          };
          expect(leaseBudget(workerOnJob({ own, others, verdictPending, ...afterAnHour }))).not.toBe('none');
        },
      ),
    );
  });
});

/** A simulated broken worker beside good ones: every item that it leases immediately ends in an error. */
interface Simulation {
  readonly taskItems: number;
  /** Items of a lease before the worker is on probation. */
  readonly leaseItems: number;
  /** When another worker reports its first ok outcome, in seconds. */
  readonly firstOkAt: number;
  readonly seconds: number;
}
const simulations = fc.record<Simulation>({
  taskItems: fc.integer({ min: 1, max: 100 }),
  leaseItems: fc.integer({ min: 1, max: 500 }),
  firstOkAt: fc.integer({ min: 0, max: 300 }),
  seconds: fc.integer({ min: 1, max: 20_000 }),
});

function spoiledItems({ taskItems, leaseItems, firstOkAt, seconds }: Simulation): number {
  let own = NO_OUTCOMES;
  let spoiled = 0;
  let probationAt: number | null = null;
  let leasedAt = 0;
  for (let now = 0; now < seconds; now += 1) {
    // The worker asks until it gets nothing.
    for (;;) {
      const given = leaseBudget({
        own,
        others: now >= firstOkAt ? [history([1, 0])] : [],
        verdictPending: now < firstOkAt,
        probationSeconds: now - (probationAt ?? now),
        secondsSinceLease: now - leasedAt,
        reportedSinceLease: true,
      });
      if (given === 'none') break;
      const items = given === 'all' ? Math.max(leaseItems, taskItems) : taskItems;
      own = withOutcomes(own, 0, items);
      spoiled += items;
      leasedAt = now;
      if (hasManyErrors(own)) probationAt ??= now;
    }
  }
  return spoiled;
}

it('bounds the items that a broken worker spoils: one lease, then one task per pause', () => {
  fc.assert(
    fc.property(simulations, (simulation) => {
      const { taskItems, leaseItems, seconds } = simulation;
      const leases = Math.log2(Math.max(seconds, 3600) / 60) + 2 + seconds / 3600;
      const bound = 5 + Math.max(leaseItems, taskItems) + leases * taskItems;
      expect(spoiledItems(simulation)).toBeLessThanOrEqual(bound);
    }),
    { numRuns: 50 },
  );
});
