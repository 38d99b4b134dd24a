import { expect, it } from 'vitest';
import { SharedProcessor } from './shared-processor.ts';

it('shares the whole speed between full slots', () => {
  const mac = new SharedProcessor(10, 4);
  const shares = [10, 20, 20, 20].map((work) => mac.start(work, 0));
  expect(mac.secondsToNext(0)).toBeCloseTo(4);
  expect(mac.takeEnded(4)).toEqual([shares[0]]);
  expect(mac.executed).toBeCloseTo(40);
  expect(mac.slotSeconds).toBeCloseTo(16);
});

it('is slower with idle slots, but each item is faster', () => {
  const mac = new SharedProcessor(10, 4);
  mac.start(10, 0);
  const alone = 10 * (1 / 4) ** 0.6;
  expect(mac.secondsToNext(0)).toBeCloseTo(10 / alone);
  expect(alone).toBeGreaterThan(10 / 4);
});

it('counts the work of a stopped item', () => {
  const mac = new SharedProcessor(1, 1);
  const share = mac.start(100, 5);
  mac.stop(share, 12);
  expect(mac.executed).toBeCloseTo(7);
  expect(mac.size).toBe(0);
  expect(mac.secondsToNext(20)).toBeNull();
});

it('credits the next item with the work after a late-noticed end', () => {
  const mac = new SharedProcessor(1, 1);
  mac.start(4, 0);
  expect(mac.takeEnded(4.5)).toHaveLength(1);
  expect(mac.executed).toBeCloseTo(4);
  mac.start(4, 4.5);
  expect(mac.secondsToNext(4.5)).toBeCloseTo(3.5);
  expect(mac.takeEnded(8)).toHaveLength(1);
  expect(mac.executed).toBeCloseTo(8);
});

it('gives a slot no extra work for the time that it was empty', () => {
  const mac = new SharedProcessor(1, 1);
  mac.start(4, 0);
  mac.takeEnded(4.5);
  mac.start(4, 20);
  expect(mac.secondsToNext(20)).toBeCloseTo(4);
});
