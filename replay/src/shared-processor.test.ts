import { expect, it } from 'vitest';
import { SharedProcessor } from './shared-processor.ts';

it('full slots share the whole speed', () => {
  const mac = new SharedProcessor(10, 4);
  const shares = [10, 20, 20, 20].map((work) => mac.start(work, 0));
  expect(mac.secondsToNext(0)).toBeCloseTo(4);
  expect(mac.ended(4)).toEqual([shares[0]]);
  expect(mac.executed).toBeCloseTo(40);
  expect(mac.slotSeconds).toBeCloseTo(16);
});

it('a Mac with idle slots is slower, but each item is faster', () => {
  const mac = new SharedProcessor(10, 4);
  mac.start(10, 0);
  const alone = 10 * (1 / 4) ** 0.6;
  expect(mac.secondsToNext(0)).toBeCloseTo(10 / alone);
  expect(alone).toBeGreaterThan(10 / 4);
});

it('what is stopped counts for what was done of it', () => {
  const mac = new SharedProcessor(1, 1);
  const share = mac.start(100, 5);
  mac.stop(share, 12);
  expect(mac.executed).toBeCloseTo(7);
  expect(mac.size).toBe(0);
  expect(mac.secondsToNext(20)).toBeNull();
});

it('who looks late costs the Mac nothing: the next item gets what was computed meanwhile', () => {
  const mac = new SharedProcessor(1, 1);
  mac.start(4, 0);
  expect(mac.ended(4.5)).toHaveLength(1);
  expect(mac.executed).toBeCloseTo(4);
  mac.start(4, 4.5);
  expect(mac.secondsToNext(4.5)).toBeCloseTo(3.5);
  expect(mac.ended(8)).toHaveLength(1);
  expect(mac.executed).toBeCloseTo(8);
});

it('a slot that stayed empty for long gets nothing of it', () => {
  const mac = new SharedProcessor(1, 1);
  mac.start(4, 0);
  mac.ended(4.5);
  mac.start(4, 20);
  expect(mac.secondsToNext(20)).toBeCloseTo(4);
});
