import { expect, it } from 'vitest';
import { RateMeter } from './rate-meter.ts';

/** A meter with its clock. `run` runs items one after the other in a slot. */
function metered(slots: number) {
  let now = 1_000_000;
  const meter = new RateMeter(() => now, slots);
  const run = (kind: string, items: number, ms: number) => {
    for (let n = 0; n < items; n += 1) {
      meter.started(kind);
      now += ms;
      meter.ended(kind, true);
    }
  };
  return { meter, run, pass: (ms: number) => (now += ms) };
}

it('measures the rate of the last minute of work', () => {
  const { meter, run } = metered(1);
  run('chat', 100, 2000);
  expect(meter.itemsPerSecond('chat')).toBeCloseTo(0.5, 1);
  run('chat', 200, 500);
  expect(meter.itemsPerSecond('chat')).toBeGreaterThan(1.5);
  expect(meter.itemsPerSecond('chat')).toBeLessThan(2.1);
});

it('has no rate until as many items have finished as there are slots', () => {
  const { meter, run } = metered(3);
  run('chat', 2, 1000);
  expect(meter.itemsPerSecond('chat')).toBeNull();
  run('chat', 1, 1000);
  expect(meter.itemsPerSecond('chat')).toBeCloseTo(1, 1);
});

it('leaves out idle time and measures each kind of work separately', () => {
  const { meter, run, pass } = metered(1);
  run('chat', 10, 1000);
  const rate = meter.itemsPerSecond('chat');
  pass(3_600_000);
  expect(meter.itemsPerSecond('chat')).toBe(rate);
  expect(meter.itemsPerSecond('embed')).toBeNull();
});

it('leaves out items that were stopped', () => {
  const { meter, pass } = metered(1);
  meter.started('chat');
  pass(1000);
  meter.ended('chat', false);
  expect(meter.itemsPerSecond('chat')).toBeNull();
});

it('stays near the true rate when the clock is set back or the lid was closed over running work', () => {
  const { meter, run, pass } = metered(1);
  run('chat', 10, 1000);
  pass(-3_600_000);
  run('chat', 10, 1000);
  meter.started('chat');
  pass(8 * 3_600_000);
  meter.ended('chat', true);
  run('chat', 100, 1000);
  expect(meter.itemsPerSecond('chat')).toBeCloseTo(1, 0);
});
