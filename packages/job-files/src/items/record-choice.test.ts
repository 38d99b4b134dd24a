import { expect, it } from 'vitest';
import { chosen } from './record-choice.ts';

const TOTAL = 50;

async function* numbers(): AsyncGenerator<number> {
  for (let n = 0; n < TOTAL; n += 1) yield n;
}

it('takes each record about equally often', async () => {
  const counts = Array.from({ length: TOTAL }, () => 0);
  const draws = 400;
  const count = 10;
  for (let seed = 0; seed < draws; seed += 1)
    for await (const n of chosen(numbers(), { kind: 'sample', count, seed }, TOTAL))
      counts[n] = (counts[n] ?? 0) + 1;
  const share = count / TOTAL;
  const deviation = Math.sqrt(draws * share * (1 - share));
  for (const taken of counts) expect(Math.abs(taken - draws * share)).toBeLessThan(5 * deviation);
  expect(counts.reduce((sum, taken) => sum + taken, 0)).toBe(draws * count);
});
