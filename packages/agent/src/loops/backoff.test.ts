import { expect, it } from 'vitest';
import { Backoff, sleep } from './backoff.ts';

const never = new AbortController().signal;

async function pauses(count: number, random: () => number): Promise<number[]> {
  const slept: number[] = [];
  const backoff = new Backoff(random, async (ms) => {
    slept.push(ms);
  });
  for (let n = 0; n < count; n += 1) await backoff.wait(never);
  return slept;
}

it('doubles pauses up to fifteen seconds', async () => {
  expect(await pauses(8, () => 1)).toEqual([500, 1000, 2000, 4000, 8000, 15_000, 15_000, 15_000]);
});

it('shortens pauses at random, by half at most', async () => {
  expect(await pauses(3, () => 0)).toEqual([250, 500, 1000]);
});

it('stays at fifteen seconds after thousands of failures', async () => {
  expect((await pauses(3000, () => 1)).at(-1)).toBe(15_000);
});

it('starts again with the first pause after a success', async () => {
  const slept: number[] = [];
  const backoff = new Backoff(
    () => 1,
    async (ms) => {
      slept.push(ms);
    },
  );
  await backoff.wait(never);
  await backoff.wait(never);
  backoff.succeeded();
  await backoff.wait(never);
  expect(slept).toEqual([500, 1000, 500]);
});

it('ends a pause without an error when the signal aborts', async () => {
  const controller = new AbortController();
  const backoff = new Backoff(() => 1, sleep);
  const waiting = backoff.wait(controller.signal);
  controller.abort();
  await waiting;
});
