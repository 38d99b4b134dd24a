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

const record = (...news: readonly (readonly [ok: number, errors: number])[]) =>
  news.reduce((before, [ok, errors]) => withOutcomes(before, ok, errors), NO_OUTCOMES);
const GOOD = record([20, 0]);
const BAD = record([0, 20]);

const conduct = (over: Partial<WorkerOnJob> = {}): WorkerOnJob => ({
  own: BAD,
  others: [GOOD],
  verdictPending: false,
  probationSeconds: 0,
  secondsSinceLease: 0,
  reportedSinceLease: true,
  ...over,
});

const outcomes = fc.array(fc.tuple(fc.nat({ max: 30 }), fc.nat({ max: 30 })), { maxLength: 30 });
const records = outcomes.map((news) => record(...news));

describe('the record of a worker', () => {
  it('forgets: what counts is what it did lately', () => {
    expect(hasManyErrors(record([1000, 0], [0, 13]))).toBe(false);
    expect(hasManyErrors(record([1000, 0], [0, 14]))).toBe(true);
    expect(hasManyErrors(record([0, 1000], [14, 0]))).toBe(false);
  });

  it('is doubtful from the sixth error in a row', () => {
    expect([5, 6].map((errors) => hasManyErrors(record([0, errors])))).toEqual([false, true]);
  });

  it('never counts more than what there was, nor more than about the last twenty', () => {
    fc.assert(
      fc.property(outcomes, (news) => {
        const { ok, errors, errorsInARow } = record(...news);
        const sum = (which: 0 | 1) => news.reduce((total, each) => total + each[which], 0);
        expect(ok).toBeLessThanOrEqual(sum(0) + 1e-9);
        expect(errors).toBeLessThanOrEqual(sum(1) + 1e-9);
        expect(ok + errors).toBeLessThanOrEqual(20 + 1e-9);
        expect(errorsInARow).toBeLessThanOrEqual(sum(1));
      }),
    );
  });

  it('does not depend on how outcomes of one kind are cut into reports', () => {
    fc.assert(
      fc.property(records, fc.nat({ max: 40 }), fc.nat({ max: 40 }), (before, one, other) => {
        const whole = withOutcomes(before, 0, one + other);
        const parts = withOutcomes(withOutcomes(before, 0, one), 0, other);
        expect(parts.errors).toBeCloseTo(whole.errors);
        expect(parts.ok).toBeCloseTo(whole.ok);
      }),
    );
  });
});

describe('what a worker may be given', () => {
  it.each<[string, Partial<WorkerOnJob>, LeaseBudget]>([
    ['all where it does well', { own: GOOD }, 'all'],
    ['all where few of its items were errors', { own: record([0, 5]) }, 'all'],
    [
      'all where every second item is an error for everybody',
      { own: record([5, 5], [0, 1]), others: [record([10, 10])] },
      'all',
    ],
    ['all where the others fare no better: the job is to blame', { others: [BAD, BAD] }, 'all'],
    ['all where there is nobody else: the job is to end', { others: [] }, 'all'],
    ['nothing where one other does well', { others: [BAD, GOOD, BAD] }, 'none'],
    ['nothing where one other had one good item', { others: [record([1, 0])] }, 'none'],
    ['nothing while another is still to tell', { others: [], verdictPending: true }, 'none'],
    [
      'nothing while all that have told fare badly and one is still to tell',
      { others: [BAD], verdictPending: true },
      'none',
    ],
    ['one task after a minute', { probationSeconds: 60, secondsSinceLease: 60 }, 'one'],
    ['nothing after less', { probationSeconds: 59, secondsSinceLease: 59 }, 'none'],
    [
      'nothing before as much time again has passed',
      { probationSeconds: 399, secondsSinceLease: 199 },
      'none',
    ],
    ['one task then', { probationSeconds: 400, secondsSinceLease: 200 }, 'one'],
    ['one task each hour at least', { probationSeconds: 1e6, secondsSinceLease: 3600 }, 'one'],
    ['one task at once after a good one', { own: withOutcomes(BAD, 1, 0) }, 'one'],
    [
      'nothing before that one has ended',
      { own: withOutcomes(BAD, 1, 0), reportedSinceLease: false },
      'none',
    ],
    ['all again after fourteen good ones', { own: withOutcomes(BAD, 14, 0) }, 'all'],
  ])('is %s', (_, over, expected) => {
    expect(leaseBudget(conduct(over))).toBe(expected);
  });

  it('is all for at least one of those that are here, whatever they have done', () => {
    fc.assert(
      fc.property(fc.array(records, { minLength: 1, maxLength: 6 }), (all) => {
        const given = all.map((own, at) => leaseBudget(conduct({ own, others: all.toSpliced(at, 1) })));
        expect(given).toContain('all');
      }),
    );
  });

  it('never stays nothing for longer than an hour', () => {
    const seconds = fc.double({ min: 0, max: 1e7, noNaN: true });
    fc.assert(
      fc.property(
        records,
        fc.array(records),
        seconds,
        fc.boolean(),
        (own, others, before, verdictPending) => {
          const rested = {
            probationSeconds: before + 3600,
            secondsSinceLease: 3600,
            reportedSinceLease: false,
          };
          expect(leaseBudget(conduct({ own, others, verdictPending, ...rested }))).not.toBe('none');
        },
      ),
    );
  });
});

/** A broken worker beside good ones, second by second; whatever it is given ends at once in errors. */
interface History {
  readonly taskItems: number;
  /** Items of a lease while nothing speaks against it. */
  readonly leaseItems: number;
  /** When the first other worker tells of a good item. */
  readonly othersTellAt: number;
  readonly seconds: number;
}
const histories = fc.record<History>({
  taskItems: fc.integer({ min: 1, max: 100 }),
  leaseItems: fc.integer({ min: 1, max: 500 }),
  othersTellAt: fc.integer({ min: 0, max: 300 }),
  seconds: fc.integer({ min: 1, max: 20_000 }),
});

function spoiledBy({ taskItems, leaseItems, othersTellAt, seconds }: History): number {
  let own = NO_OUTCOMES;
  let spoiled = 0;
  let doubtedAt: number | null = null;
  let leasedAt = 0;
  for (let now = 0; now < seconds; now += 1) {
    // It asks as often as it likes: nothing changes until it is given some.
    for (;;) {
      const given = leaseBudget({
        own,
        others: now >= othersTellAt ? [record([1, 0])] : [],
        verdictPending: now < othersTellAt,
        probationSeconds: now - (doubtedAt ?? now),
        secondsSinceLease: now - leasedAt,
        reportedSinceLease: true,
      });
      if (given === 'none') break;
      const items = given === 'all' ? Math.max(leaseItems, taskItems) : taskItems;
      own = withOutcomes(own, 0, items);
      spoiled += items;
      leasedAt = now;
      if (hasManyErrors(own)) doubtedAt ??= now;
    }
  }
  return spoiled;
}

it('a broken worker spoils what it holds when it is found out, then a task each time its pause has doubled', () => {
  fc.assert(
    fc.property(histories, (history) => {
      const { taskItems, leaseItems, seconds } = history;
      const tries = Math.log2(Math.max(seconds, 3600) / 60) + 2 + seconds / 3600;
      const bound = 5 + Math.max(leaseItems, taskItems) + tries * taskItems;
      expect(spoiledBy(history)).toBeLessThanOrEqual(bound);
    }),
    { numRuns: 50 },
  );
});
