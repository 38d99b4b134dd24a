import { Unreachable } from '@macbatch/client';
import { expect, it } from 'vitest';
import { Backoff, sleep } from './backoff.ts';
import { Recovery } from './recovery.ts';

const never = new AbortController().signal;

/** A refusal of one call. The control plane answers other calls. */
const BUSY = new Error('too many requests');
const OUTAGE = new Unreachable('http://control', new Error('ECONNREFUSED'));

/** Creates a back-off that records its pauses in `slept`, in milliseconds, and does not wait. */
function recording(slept: number[], recovery: Recovery, random: () => number = () => 1): Backoff {
  return new Backoff({
    random,
    sleep: async (ms, signal) => {
      signal.throwIfAborted();
      slept.push(ms);
    },
    recovery,
  });
}

/** Returns a sleep that ends only when its signal aborts, and the durations of the sleeps that have begun. */
function endlessSleep() {
  const begun: number[] = [];
  const sleep = (ms: number, signal: AbortSignal) => {
    begun.push(ms);
    return new Promise<void>((_, reject) => {
      if (signal.aborted) reject(new Error('aborted'));
      signal.addEventListener('abort', () => reject(new Error('aborted')));
    });
  };
  return { begun, sleep };
}

async function pauses(count: number, random: () => number): Promise<number[]> {
  const slept: number[] = [];
  const backoff = recording(slept, new Recovery(), random);
  for (let n = 0; n < count; n += 1) await backoff.wait(BUSY, never);
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

it('returns to the shortest pause after a success', async () => {
  const slept: number[] = [];
  const backoff = recording(slept, new Recovery());
  await backoff.wait(BUSY, never);
  await backoff.wait(BUSY, never);
  backoff.succeeded();
  await backoff.wait(BUSY, never);
  expect(slept).toEqual([500, 1000, 500]);
});

it('ends a pause without an error when the signal aborts', async () => {
  const controller = new AbortController();
  const backoff = new Backoff({ random: () => 1, sleep, recovery: new Recovery() });
  const waiting = backoff.wait(OUTAGE, controller.signal);
  controller.abort();
  await waiting;
});

it('ends the pause after an outage when another loop gets an answer', async () => {
  const recovery = new Recovery();
  const { begun, sleep: endless } = endlessSleep();
  // The first part of each pause ends by itself.
  const sleepRest = (ms: number, signal: AbortSignal) =>
    ms <= 500 ? Promise.resolve() : endless(ms, signal);
  const waiting = new Backoff({ random: () => 1, sleep: sleepRest, recovery });
  await waiting.wait(OUTAGE, never);
  await waiting.wait(OUTAGE, never);
  const third = waiting.wait(OUTAGE, never);
  while (begun.length === 0) await Promise.resolve();
  expect(begun).toEqual([1500]);
  recording([], recovery).succeeded();
  await third;
});

it('waits for at least the shortest pause even when another loop gets answers', async () => {
  const recovery = new Recovery();
  const slept: number[] = [];
  const backoff = new Backoff({
    random: () => 1,
    sleep: async (ms, signal) => {
      signal.throwIfAborted();
      slept.push(ms);
      recovery.answered();
    },
    recovery,
  });
  for (let n = 0; n < 6; n += 1) await backoff.wait(OUTAGE, never);
  expect(slept).toEqual([500, 500, 500, 500, 500, 500]);
});

it('does not end a pause early when the control plane only refuses this call', async () => {
  const recovery = new Recovery();
  const slept: number[] = [];
  const backoff = new Backoff({
    random: () => 1,
    sleep: async (ms, signal) => {
      recovery.answered();
      signal.throwIfAborted();
      slept.push(ms);
    },
    recovery,
  });
  for (let n = 0; n < 3; n += 1) await backoff.wait(BUSY, never);
  expect(slept).toEqual([500, 1000, 2000]);
});
