import { expect, test } from 'vitest';
import { OfferWithdrawals } from './offer-withdrawals.ts';

const chat = { job_type: 'chat', model: 'small' } as const;
const embed = { job_type: 'embed', model: 'small' } as const;

test('a withdrawn offer is due again after a minute, and after twice as long each time it fails again', () => {
  const withdrawals = new OfferWithdrawals();
  withdrawals.withdraw(chat, 'model_not_found', 0);
  expect(withdrawals.isWithdrawn(chat)).toBe(true);
  expect(withdrawals.isWithdrawn(embed)).toBe(false);
  expect(withdrawals.due(59_999)).toEqual([]);
  expect(withdrawals.due(60_000)).toMatchObject([{ offer: chat, code: 'model_not_found' }]);

  withdrawals.restore(chat);
  expect(withdrawals.isWithdrawn(chat)).toBe(false);
  withdrawals.withdraw(chat, 'model_not_found', 60_000);
  expect(withdrawals.due(60_000 + 119_999)).toEqual([]);
  expect(withdrawals.due(60_000 + 120_000)).toHaveLength(1);
});

test('items that fail together withdraw an offer once', () => {
  const withdrawals = new OfferWithdrawals();
  for (const at of [0, 1, 2]) withdrawals.withdraw(chat, 'out_of_memory', at);
  expect(withdrawals.due(60_000)).toHaveLength(1);
});

test('a success forgets the failures before it', () => {
  const withdrawals = new OfferWithdrawals();
  withdrawals.withdraw(chat, 'out_of_memory', 0);
  withdrawals.succeeded(chat);
  expect(withdrawals.isWithdrawn(chat)).toBe(false);
  withdrawals.withdraw(chat, 'out_of_memory', 1_000_000);
  expect(withdrawals.due(1_060_000)).toHaveLength(1);
});
