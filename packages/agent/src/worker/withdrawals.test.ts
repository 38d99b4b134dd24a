import { expect, it } from 'vitest';
import {
  dueForProbe,
  forgetFailures,
  isWithdrawn,
  restore,
  type Withdrawal,
  withdraw,
} from './withdrawals.ts';

const chat = { job_type: 'chat', model: 'small' } as const;
const embed = { job_type: 'embed', model: 'small' } as const;
const FIRST_MS = 15_000;
/** Between two probes in the first minute. */
const EARLY_MS = 5000;

const failed = (ends: Withdrawal['ends'], runtime: number | null = 0) => ({
  offer: chat,
  runtime,
  code: 'model_not_found',
  ends,
});
const chatOn = (runtime: number | null) => ({ offer: chat, runtime });

it('withdraws a failed offer for 15 seconds, and only this offer on this runtime', () => {
  const withdrawals = withdraw([], failed('pause'), 0);
  expect(isWithdrawn(withdrawals, chatOn(0), FIRST_MS - 1)).toBe(true);
  expect(isWithdrawn(withdrawals, chatOn(0), FIRST_MS)).toBe(false);
  expect(isWithdrawn(withdrawals, { offer: embed, runtime: 0 }, 0)).toBe(false);
  expect(isWithdrawn(withdrawals, chatOn(1), 0)).toBe(false);
  expect(isWithdrawn(withdrawals, chatOn(null), 0)).toBe(false);
});

it.each([
  ['pause', FIRST_MS, [1, 2, 4, 8, 16, 32, 40, 40]],
  ['probe', EARLY_MS, [...Array.from({ length: 12 }, () => 1), 2, 4, 8, 16, 32, 64, 120, 120]],
] as const)('doubles the pause with each failure, up to ten minutes: %s', (ends, firstMs, expected) => {
  let now = 0;
  let withdrawals: readonly Withdrawal[] = [];
  const pauses = expected.map(() => {
    withdrawals = withdraw(withdrawals, failed(ends), now);
    const until = withdrawals[0]?.until ?? 0;
    const pauseMs = until - now;
    now = until;
    return pauseMs / firstMs;
  });
  expect(pauses).toEqual(expected);
});

it('doubles the pause even after a probe that found the offer working', () => {
  const minute = 60_000;
  const back = restore(withdraw([], failed('probe'), 0), chatOn(0));
  expect(isWithdrawn(back, chatOn(0), minute)).toBe(false);
  const again = withdraw(back, failed('probe'), minute);
  expect(dueForProbe(again, minute + 2 * EARLY_MS - 1)).toEqual([]);
  expect(dueForProbe(again, minute + 2 * EARLY_MS)).toHaveLength(1);
});

it('counts items that fail together as one failure', () => {
  const withdrawals = [0, 1, 2].reduce<readonly Withdrawal[]>(
    (before, now) => withdraw(before, failed('probe'), now),
    [],
  );
  expect(dueForProbe(withdrawals, FIRST_MS)).toMatchObject([{ offer: chat, code: 'model_not_found' }]);
});

it('keeps an offer withdrawn until a probe finds it working', () => {
  const withdrawals = withdraw([], failed('probe'), 0);
  expect(isWithdrawn(withdrawals, chatOn(0), 10 * FIRST_MS)).toBe(true);
  expect(isWithdrawn(restore(withdrawals, chatOn(0)), chatOn(0), 10 * FIRST_MS)).toBe(false);
});

it('neither offers nor probes a model again that needs a restart', () => {
  const withdrawals = withdraw([], failed('restart'), 0);
  expect(isWithdrawn(withdrawals, chatOn(0), 1e12)).toBe(true);
  expect(dueForProbe(withdrawals, 1e12)).toEqual([]);
});

it('forgets the failures of an offer that succeeds', () => {
  const withdrawals = withdraw(withdraw([], failed('probe'), 0), failed('pause', null), 0);
  expect(isWithdrawn(withdrawals, chatOn(null), 0)).toBe(true);
  const after = forgetFailures(withdrawals, chat, 0);
  expect([isWithdrawn(after, chatOn(0), 0), isWithdrawn(after, chatOn(null), 0)]).toEqual([false, false]);
  const again = withdraw(after, failed('probe'), 1_000_000);
  expect(dueForProbe(again, 1_000_000 + FIRST_MS)).toHaveLength(1);
});
