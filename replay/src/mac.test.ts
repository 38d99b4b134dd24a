import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Mac, type MacRun } from './mac.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** Runs an item and notes how it ended, and in which second. */
function ending(mac: Mac, run: Partial<MacRun> & { readonly cost: number }): { how: string | null } {
  const from = performance.now();
  const ended: { how: string | null } = { how: null };
  const note = (how: string) => {
    ended.how = `${how} at ${Math.round((performance.now() - from) / 1000)}`;
  };
  mac.run({ poison: null, model: 'first', signal: new AbortController().signal, ...run }).then(
    () => note('done'),
    (error: Error) => note(error.message),
  );
  return ended;
}

it('shares its speed between items', async () => {
  const mac = new Mac({ speed: 2, slots: 2, loadSeconds: 0 });
  const ends = [4, 8].map((cost) => ending(mac, { cost }));
  await vi.advanceTimersByTimeAsync(20_000);
  // Both run at speed 1 until the first is done, then the second runs alone.
  expect(ends.map(({ how }) => how)).toEqual([
    'done at 4',
    `done at ${Math.round(4 + 4 / (2 * 0.5 ** 0.6))}`,
  ]);
  expect(mac.executed).toBeCloseTo(12);
});

it('loads another model when nothing runs, and starts no later item before the item that needs it', async () => {
  const mac = new Mac({ speed: 2, slots: 2, loadSeconds: 30 });
  const ends = ['first', 'second', 'first'].map((model) => ending(mac, { cost: 2, model }));
  await vi.advanceTimersByTimeAsync(200_000);
  const alone = 2 / (2 * 0.5 ** 0.6);
  expect(ends.map(({ how }) => how)).toEqual(
    [1, 2, 3].map((loads) => `done at ${Math.round(loads * (30 + alone))}`),
  );
  expect(mac.loads.map(({ model }) => model)).toEqual(['first', 'second', 'first']);
});

it('fails a bad item after a part of its work', async () => {
  const mac = new Mac({ speed: 1, slots: 1, loadSeconds: 0 });
  const bad = ending(mac, { cost: 10, poison: 'errors' });
  await vi.advanceTimersByTimeAsync(20_000);
  expect(bad.how).toBe('this item always fails at 3');
  expect(mac.executed).toBeCloseTo(3);
});

it('fails all running items after a crash and stops for a minute', async () => {
  const mac = new Mac({ speed: 2, slots: 2, loadSeconds: 0 });
  const crash = ending(mac, { cost: 10, poison: 'crashes' });
  const beside = ending(mac, { cost: 100 });
  await vi.advanceTimersByTimeAsync(10_000);
  expect(crash.how).toMatch(/crashed at 5$/);
  expect(beside.how).toMatch(/crashed at 5$/);
  const next = ending(mac, { cost: 1 });
  await vi.advanceTimersByTimeAsync(120_000);
  expect(next.how).toBe('done at 56');
  expect(mac.crashes).toBe(1);
  expect(mac.executed).toBeCloseTo(11);
});

it('frees the slot of an aborted item immediately', async () => {
  const mac = new Mac({ speed: 1, slots: 1, loadSeconds: 0 });
  const abort = new AbortController();
  const aborted = ending(mac, { cost: 100, signal: abort.signal });
  await vi.advanceTimersByTimeAsync(5000);
  abort.abort(new Error('not wanted'));
  const next = ending(mac, { cost: 3 });
  await vi.advanceTimersByTimeAsync(5000);
  expect(aborted.how).toBe('not wanted at 5');
  expect(next.how).toBe('done at 3');
  expect(mac.executed).toBeCloseTo(8);
});
