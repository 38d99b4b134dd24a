import { describe, expect, it } from 'vitest';
import { noop } from '../runtimes/noop.ts';
import { ModelLoads } from './model-loads.ts';

const offer = (model: string) => ({ job_type: 'chat', model }) as const;

/** Loads with a clock that runs an item in so many milliseconds. */
function clocked() {
  let now = 0;
  const loads = new ModelLoads(() => now);
  const runtime = noop();
  return {
    loads,
    runtime,
    run(model: string, ms: number, counts = true): boolean {
      const run = loads.started(runtime, model);
      now += ms;
      run.ended(counts);
      return run.swapped;
    },
    pass(ms: number) {
      now += ms;
    },
  };
}

describe('G: the model that a runtime has loaded', () => {
  it('is the last one that it ran, each runtime for itself', () => {
    const { loads, runtime, run } = clocked();
    expect(loads.isLoaded(runtime, offer('a'))).toBe(false);
    run('a', 10);
    expect(loads.isLoaded(runtime, offer('a'))).toBe(true);
    expect(loads.isLoaded(noop(), offer('a'))).toBe(false);
    expect(loads.isLoaded(undefined, offer('a'))).toBe(false);
    run('b', 10);
    expect([loads.isLoaded(runtime, offer('a')), loads.isLoaded(runtime, offer('b'))]).toEqual([false, true]);
  });

  it('is gone with its process', () => {
    const { loads, runtime, run } = clocked();
    run('a', 10);
    loads.forget(runtime);
    expect(loads.isLoaded(runtime, offer('a'))).toBe(false);
  });

  it('has taken the place of another only where there was one', () => {
    const { run } = clocked();
    expect([run('a', 1), run('a', 1), run('b', 1), run('a', 1)]).toEqual([false, false, true, true]);
  });
});

describe('G: what loading a model takes', () => {
  it('is by how much the first item took longer than the others', () => {
    const { loads, runtime, run } = clocked();
    run('a', 31_000);
    expect(loads.loadSeconds(runtime, offer('a'))).toBe(null);
    run('a', 1000);
    expect(loads.loadSeconds(runtime, offer('a'))).toBe(30);
    run('b', 5000);
    run('b', 5000);
    expect([loads.loadSeconds(runtime, offer('b')), loads.loadSeconds(runtime, offer('a'))]).toEqual([0, 30]);
  });

  it('does not count items that waited for the same load, nor any that was not run to its end', () => {
    const { loads, runtime, run, pass } = clocked();
    const first = loads.started(runtime, 'a');
    const beside = loads.started(runtime, 'a');
    pass(20_000);
    first.ended(true);
    beside.ended(true);
    run('a', 500, false);
    expect(loads.loadSeconds(runtime, offer('a'))).toBe(null);
    run('a', 1000);
    expect(loads.loadSeconds(runtime, offer('a'))).toBe(19);
  });

  it('is none where the first was the quickest', () => {
    const { loads, runtime, run } = clocked();
    run('a', 100);
    run('a', 1000);
    expect(loads.loadSeconds(runtime, offer('a'))).toBe(0);
  });
});
