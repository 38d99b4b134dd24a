import { expect, it } from 'vitest';
import { tokenUsage } from './token-usage.ts';

it('keeps the counts of tokens, and what else the server counts', () => {
  expect(
    tokenUsage({
      prompt_tokens: 12,
      completion_tokens: 3,
      total_tokens: 15,
      cost: 0.0004,
      prompt_tokens_details: { cached_tokens: 8 },
      completion_tokens_details: { reasoning_tokens: 2, text: 'two' },
    }),
  ).toEqual({
    input_tokens: 12,
    output_tokens: 3,
    total_tokens: 15,
    cost: 0.0004,
    'prompt_tokens_details.cached_tokens': 8,
    'completion_tokens_details.reasoning_tokens': 2,
  });
});

it.each([-1, Number.POSITIVE_INFINITY, Number.NaN, 1e300, 0.5, '12', null, {}, [7]])(
  'leaves out %j where tokens are counted',
  (count) => {
    const usage = { prompt_tokens: count, completion_tokens: 3, total_tokens: count };
    expect(tokenUsage(usage)).toEqual({ output_tokens: 3 });
  },
);

it('leaves out long names and names with special characters, and keeps at most fifty counts', () => {
  const many = Object.fromEntries(Array.from({ length: 80 }, (_, n) => [`count_${n}`, n]));
  expect(tokenUsage({ 'a\u0000': 1, '\ud800': 2, ['x'.repeat(200)]: 3, fine: 4 })).toEqual({ fine: 4 });
  expect(Object.keys(tokenUsage(many) ?? {})).toHaveLength(50);
});

it.each([undefined, null, 'none', []])('is null for %j', (usage) => {
  expect(tokenUsage(usage)).toBeNull();
});
