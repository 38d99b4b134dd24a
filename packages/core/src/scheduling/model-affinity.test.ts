import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { orderJobs, STARVING_AFTER_SECONDS } from './job-order.ts';
import { type ModelFit, orderByModelAffinity } from './model-affinity.ts';

const NOW = 1_000_000_000;

interface TestJob {
  readonly id: string;
  readonly priority: number;
  readonly itemsLeft: number;
  readonly lastServedAt: number;
  readonly fit: ModelFit;
}
const job = (id: string, over: Partial<TestJob> = {}, fit: Partial<ModelFit> = {}): TestJob => ({
  id,
  priority: 0,
  itemsLeft: 100,
  lastServedAt: NOW,
  ...over,
  fit: { loaded: false, loadSeconds: 30, loadedItemsPerSecond: 1, ...fit },
});
const offered = (jobs: readonly TestJob[], order: 'shortest' | 'fifo' = 'shortest') =>
  orderByModelAffinity(orderJobs(jobs, order, NOW), ({ fit }) => fit, order, NOW).map(({ id }) => id);

describe('orderByModelAffinity, for a worker with a loaded model', () => {
  it('keeps the model while other workers finish the first job within 8 load times', () => {
    const mine = job('mine', { itemsLeft: 5000 }, { loaded: true });
    expect(offered([job('other', { itemsLeft: 239 }), mine])).toEqual(['mine', 'other']);
    expect(offered([job('other', { itemsLeft: 240 }), mine])).toEqual(['other', 'mine']);
  });

  it('swaps immediately for a job whose model no worker has loaded', () => {
    const mine = job('mine', { itemsLeft: 5000 }, { loaded: true });
    expect(offered([job('other', {}, { loadedItemsPerSecond: 0 }), mine])).toEqual(['other', 'mine']);
  });

  it('assumes a load time of 30 seconds if unknown, and always swaps if loading takes no time', () => {
    const mine = job('mine', { itemsLeft: 5000 }, { loaded: true });
    expect(offered([job('other', { itemsLeft: 239 }, { loadSeconds: null }), mine])[0]).toBe('mine');
    expect(offered([job('other', { itemsLeft: 1 }, { loadSeconds: 0 }), mine])[0]).toBe('other');
  });

  it('keeps the job order among the jobs for its model', () => {
    const jobs = [job('a', { itemsLeft: 3 }, { loaded: true }), job('b', { itemsLeft: 2 }, { loaded: true })];
    expect(offered([...jobs, job('c', { itemsLeft: 1 })])).toEqual(['b', 'a', 'c']);
  });

  it('skips, when idle, a job that other workers finish before the model is loaded', () => {
    expect(offered([job('nearly done', { itemsLeft: 14 }), job('long', { itemsLeft: 500 })])).toEqual([
      'long',
    ]);
    expect(offered([job('worth it', { itemsLeft: 15 })])).toEqual(['worth it']);
  });

  it('leaves a starving job to the workers with its model, up to three times the starving time', () => {
    const mine = job('mine', {}, { loaded: true });
    const starving = (times: number, loadedItemsPerSecond: number) =>
      job(
        'starving',
        { itemsLeft: 1, lastServedAt: NOW - times * STARVING_AFTER_SECONDS * 1000 },
        { loadedItemsPerSecond },
      );
    expect(offered([mine, starving(1, 1)])[0]).toBe('mine');
    expect(offered([mine, starving(3, 1)])[0]).toBe('starving');
    expect(offered([mine, starving(1, 0)])[0]).toBe('starving');
  });

  it('takes a job, when idle, if the workers with its model have not leased any of it', () => {
    const waits = (seconds: number) => job('waits', { itemsLeft: 1, lastServedAt: NOW - seconds * 1000 });
    for (const order of ['shortest', 'fifo'] as const) {
      expect(offered([waits(14)], order)).toEqual([]);
      expect(offered([waits(15)], order)).toEqual(['waits']);
    }
  });

  it('serves a starving job first with fifo too', () => {
    const starving = job('1', { lastServedAt: NOW - 3 * STARVING_AFTER_SECONDS * 1000 });
    expect(offered([starving, job('2', {}, { loaded: true })], 'fifo')).toEqual(['1', '2']);
  });

  it('keeps its model with fifo too, while there is work for it', () => {
    const jobs = [job('1', { itemsLeft: 5000 }), job('2', {}, { loaded: true })];
    expect(offered(jobs, 'fifo')).toEqual(['2', '1']);
  });
});

const someJob = fc.record({
  id: fc.uuid(),
  priority: fc.integer({ min: -3, max: 3 }),
  itemsLeft: fc.nat({ max: 100_000 }),
  lastServedAt: fc.integer({ min: NOW - 2_000_000, max: NOW }),
  fit: fc.record({
    loaded: fc.boolean(),
    loadSeconds: fc.option(fc.double({ min: 0, max: 600, noNaN: true }), { nil: null }),
    loadedItemsPerSecond: fc.double({ min: 0, max: 1000, noNaN: true }),
  }),
});
const someJobs = fc.uniqueArray(someJob, { selector: ({ id }) => id, maxLength: 20 });
const someOrder = fc.constantFrom('shortest', 'fifo');

describe('orderByModelAffinity, for any jobs', () => {
  it('offers each job at most once, and all jobs if one needs the loaded model', () => {
    fc.assert(
      fc.property(someJobs, someOrder, (jobs, order) => {
        const ids = offered(jobs, order);
        expect(new Set(ids).size).toBe(ids.length);
        for (const id of ids) expect(jobs.some((each) => each.id === id)).toBe(true);
        if (jobs.some(({ fit }) => fit.loaded)) expect(ids).toHaveLength(jobs.length);
      }),
    );
  });

  it('never skips a job whose model no worker has loaded', () => {
    fc.assert(
      fc.property(someJobs, someOrder, (jobs, order) => {
        const ids = new Set(offered(jobs, order));
        for (const { id, fit } of jobs) if (fit.loadedItemsPerSecond === 0) expect(ids).toContain(id);
      }),
    );
  });

  it('keeps the order of the jobs that need the same model', () => {
    fc.assert(
      fc.property(someJobs, someOrder, (jobs, order) => {
        const sorted = orderJobs(jobs, order, NOW);
        const ids = offered(jobs, order);
        for (const loaded of [true, false]) {
          const expected = sorted.filter(({ fit, id }) => fit.loaded === loaded && ids.includes(id));
          const got = ids.filter((id) => jobs.some((each) => each.id === id && each.fit.loaded === loaded));
          expect(got).toEqual(expected.map(({ id }) => id));
        }
      }),
    );
  });
});
