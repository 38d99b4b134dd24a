import { describe, expect, it } from 'vitest';
import { noop } from '../runtimes/noop.ts';
import { ModelLoads } from './model-loads.ts';

const offer = (model: string) => ({ job_type: 'chat', model }) as const;

/** Creates a `ModelLoads` with a simulated clock. `run` runs an item that takes `ms` milliseconds. */
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

describe('isLoaded', () => {
  it('is true for the last model that each runtime ran', () => {
    const { loads, runtime, run } = clocked();
    expect(loads.isLoaded(runtime, offer('a'))).toBe(false);
    run('a', 10);
    expect(loads.isLoaded(runtime, offer('a'))).toBe(true);
    expect(loads.isLoaded(noop(), offer('a'))).toBe(false);
    expect(loads.isLoaded(undefined, offer('a'))).toBe(false);
    run('b', 10);
    expect([loads.isLoaded(runtime, offer('a')), loads.isLoaded(runtime, offer('b'))]).toEqual([false, true]);
  });

  it('is false after the runtime’s process has ended', () => {
    const { loads, runtime, run } = clocked();
    run('a', 10);
    loads.forget(runtime);
    expect(loads.isLoaded(runtime, offer('a'))).toBe(false);
  });

  it('reports a swap only when another model was loaded before', () => {
    const { run } = clocked();
    expect([run('a', 1), run('a', 1), run('b', 1), run('a', 1)]).toEqual([false, false, true, true]);
  });
});

describe('loadSeconds', () => {
  it('is the first item’s duration minus the usual duration', () => {
    const { loads, runtime, run } = clocked();
    run('a', 31_000);
    expect(loads.loadSeconds(runtime, offer('a'))).toBe(null);
    run('a', 1000);
    expect(loads.loadSeconds(runtime, offer('a'))).toBe(30);
    run('b', 5000);
    run('b', 5000);
    expect([loads.loadSeconds(runtime, offer('b')), loads.loadSeconds(runtime, offer('a'))]).toEqual([0, 30]);
  });

  it('ignores items that waited for the same load, and items without an output', () => {
    const { loads, runtime, run, pass } = clocked();
    const first = loads.started(runtime, 'a');
    const second = loads.started(runtime, 'a');
    pass(20_000);
    first.ended(true);
    second.ended(true);
    run('a', 500, false);
    expect(loads.loadSeconds(runtime, offer('a'))).toBe(null);
    run('a', 1000);
    expect(loads.loadSeconds(runtime, offer('a'))).toBe(19);
  });

  it('is zero when the first item was the fastest', () => {
    const { loads, runtime, run } = clocked();
    run('a', 100);
    run('a', 1000);
    expect(loads.loadSeconds(runtime, offer('a'))).toBe(0);
  });

  it('is at most one day, even if the Mac slept for longer', () => {
    const { loads, runtime, run } = clocked();
    run('a', 3 * 86_400_000);
    run('a', 1000);
    expect(loads.loadSeconds(runtime, offer('a'))).toBe(86_400);
  });
});
