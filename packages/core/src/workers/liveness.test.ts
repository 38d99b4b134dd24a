import { expect, it } from 'vitest';
import { T0 } from '../testing/events.ts';
import { isAlive } from './liveness.ts';

it.each([
  ['just now', 0, true],
  ['59.999 s ago', 59_999, true],
  ['60 s ago', 60_000, false],
  ['two days ago', 48 * 3_600_000, false],
])('W2: with a last heartbeat %s (%i ms), a worker is alive: %s', (_when, age, alive) => {
  expect(isAlive({ lastHeartbeatAt: T0, offline: false }, T0 + age)).toBe(alive);
});

it('W2: treats an offline worker as not alive, even with a fresh heartbeat', () => {
  expect(isAlive({ lastHeartbeatAt: T0, offline: true }, T0)).toBe(false);
});

it('W2: accepts a heartbeat later than now, which a later transaction can write', () => {
  expect(isAlive({ lastHeartbeatAt: T0 + 5, offline: false }, T0)).toBe(true);
});
