import { expect, it } from 'vitest';
import { Signal } from './signal.ts';

const never = new AbortController().signal;

it('ends all waits at a notification', async () => {
  const signal = new Signal();
  const waiting = Promise.all([signal.wait(never), signal.wait(never)]);
  signal.notify();
  await waiting;
});

it('keeps one notification for the next wait', async () => {
  const signal = new Signal();
  signal.notify();
  signal.notify();
  await signal.wait(never);
  const second = new AbortController();
  const waiting = signal.wait(second.signal);
  second.abort();
  await waiting;
});

it('keeps no notification that ended a wait', async () => {
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

it('ends a wait after its time, and immediately when the signal has aborted', async () => {
  const signal = new Signal();
  await signal.wait(never, 1);
  await signal.wait(AbortSignal.abort());
});
