import { expect, it } from 'vitest';
import { Signal } from './signal.ts';

const never = new AbortController().signal;

it('a ring wakes all who wait', async () => {
  const signal = new Signal();
  const waiting = Promise.all([signal.wait(never), signal.wait(never)]);
  signal.notify();
  await waiting;
});

it('a ring that nobody waits for is kept for the next, once', async () => {
  const signal = new Signal();
  signal.notify();
  signal.notify();
  await signal.wait(never);
  const second = new AbortController();
  const waiting = signal.wait(second.signal);
  second.abort();
  await waiting;
});

it('a ring that woke somebody is not kept', async () => {
  const signal = new Signal();
  const first = signal.wait(never);
  signal.notify();
  await first;
  let woken = false;
  const controller = new AbortController();
  const waiting = signal.wait(controller.signal).then(() => {
    woken = true;
  });
  await Promise.resolve();
  expect(woken).toBe(false);
  controller.abort();
  await waiting;
});

it('waiting ends after its time, and at once for who has been told to stop', async () => {
  const signal = new Signal();
  await signal.wait(never, 1);
  await signal.wait(AbortSignal.abort());
});
