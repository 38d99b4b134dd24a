import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { heldWork, openJob, poolState, poolWorker } from '../testing/pool.ts';
import { estimateJob, type JobEstimateRange, type NoEstimateReason } from './job-estimate.ts';
import type { OpenJob } from './pool-state.ts';

function known(found: JobEstimateRange | NoEstimateReason): JobEstimateRange {
  if (typeof found === 'string') throw new Error(`no estimate: ${found}`);
  return found;
}

describe('estimateJob for any pool', () => {
  const someRate = fc.double({ min: 0.01, max: 100, noNaN: true });
  const MODELS = ['noop', 'other'];
  const jobs = fc
    .array(fc.record({ model: fc.constantFrom(...MODELS), itemsToRun: fc.integer({ min: 1, max: 500 }) }), {
      minLength: 1,
      maxLength: 5,
    })
    .map((drawn) => drawn.map((over, n) => openJob(n === drawn.length - 1 ? 'j' : `i${n}`, over)));
  const held = fc.record({
    jobId: fc.constantFrom('j', 'i0'),
    model: fc.constantFrom(...MODELS),
    items: fc.integer({ min: 0, max: 20 }),
    secondsLeft: fc.integer({ min: 0, max: 90 }),
  });
  /** Every worker reports a rate for each model: a newcomer without one would change the median. */
  const worker = fc
    .record({
      alive: fc.boolean(),
      mayLeave: fc.boolean(),
      models: fc.subarray(MODELS, { minLength: 1 }),
      slots: fc.integer({ min: 1, max: 8 }),
      rates: fc.tuple(someRate, someRate),
      held: fc.array(held, { maxLength: 2 }),
      measured: fc.record({
        itemsPerSecond: fc.oneof(fc.constant(0), someRate),
        trust: fc.double({ min: 0, max: 0.9, noNaN: true }),
        sinceSeconds: fc.integer({ min: 0, max: 1000 }),
      }),
    })
    .map(({ rates, held: itsWork, measured, ...over }) => ({
      measured,
      over: {
        ...over,
        rates: MODELS.map((model, n) => ({
          jobType: 'noop',
          model,
          itemsPerSecond: rates[n] ?? 1,
          loaded: false,
        })),
        held: itsWork.map(({ jobId, ...rest }) => heldWork(jobId, rest)),
      },
    }));
  const pools = fc.array(worker, { minLength: 1, maxLength: 5 });
  const estimateFor = (
    drawn: readonly (typeof worker extends fc.Arbitrary<infer Drawn> ? Drawn : never)[],
    open: OpenJob[],
    givesCopies = false,
  ) =>
    estimateJob(
      'j',
      poolState(
        drawn.map(({ over }, n) => poolWorker(`w${n}`, over)),
        open,
        { givesCopies },
      ),
      new Map(drawn.map(({ measured }, n) => [`w${n}`, measured])),
    );
  const notLater = (one: number, other: number) => expect(one).toBeLessThanOrEqual(other * (1 + 1e-6));

  it('returns finite numbers with low ≤ likely ≤ high', () => {
    fc.assert(
      fc.property(pools, jobs, fc.boolean(), (drawn, open, givesCopies) => {
        const found = estimateFor(drawn, open, givesCopies);
        if (typeof found === 'string') return;
        expect(found.low).toBeGreaterThan(0);
        expect(found.low).toBeLessThanOrEqual(found.likely);
        expect(found.likely).toBeLessThanOrEqual(found.high);
        expect(Number.isFinite(found.high)).toBe(true);
      }),
    );
  });

  it('never gets later or unknown with an additional idle worker', () => {
    fc.assert(
      fc.property(pools, worker, jobs, fc.boolean(), (drawn, { over, ...newcomer }, open, givesCopies) => {
        const before = estimateFor(drawn, open, givesCopies);
        if (typeof before === 'string') return;
        const after = known(
          estimateFor([...drawn, { ...newcomer, over: { ...over, held: [] } }], open, givesCopies),
        );
        notLater(after.likely, before.likely);
        notLater(after.low, before.low);
        notLater(after.high, before.high);
      }),
    );
  });

  it('never gets later with fewer items in earlier jobs, and ignores later jobs', () => {
    fc.assert(
      fc.property(pools, jobs, fc.integer({ min: 0, max: 100 }), (drawn, open, percent) => {
        const before = estimateFor(drawn, open);
        if (typeof before === 'string') return;
        const fewer = open.map((job) =>
          job.id === 'j' ? job : { ...job, itemsToRun: Math.floor((job.itemsToRun * percent) / 100) },
        );
        notLater(known(estimateFor(drawn, fewer)).likely, before.likely);
        const followed = known(estimateFor(drawn, [...open, openJob('k')]));
        for (const end of ['low', 'likely', 'high'] as const) {
          notLater(followed[end], before[end]);
          notLater(before[end], followed[end]);
        }
      }),
    );
  });
});
