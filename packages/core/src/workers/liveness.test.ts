import { expect, it } from 'vitest';
import { T0 } from '../testing/events.ts';
import { isAlive } from './liveness.ts';

it.each([
  ['just now', 0, true],
  ['59.999 s ago', 59_999, true],
  ['60 s ago', 60_000, false],
  ['two days ago', 48 * 3_600_000, false],
])('W2: a worker whose last heartbeat came %s: %i ms, alive %s', (_when, age, alive) => {
  expect(isAlive({ lastHeartbeatAt: T0, offline: false }, T0 + age)).toBe(alive);
});

it('W2: a worker that has reported itself offline is not alive, however fresh its heartbeat', () => {
  expect(isAlive({ lastHeartbeatAt: T0, offline: true }, T0)).toBe(false);
});

it('W2: a heartbeat that a later transaction wrote, and so is younger than now, counts', () => {
  expect(isAlive({ lastHeartbeatAt: T0 + 5, offline: false }, T0)).toBe(true);
});
