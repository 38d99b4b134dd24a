import { expect, it } from 'vitest';
import { Bell } from './signal.ts';

const never = new AbortController().signal;

it('a ring wakes all who wait', async () => {
  const bell = new Bell();
  const waiting = Promise.all([bell.wait(never), bell.wait(never)]);
  bell.ring();
  await waiting;
});

it('a ring that nobody waits for is kept for the next, once', async () => {
  const bell = new Bell();
  bell.ring();
  bell.ring();
  await bell.wait(never);
  const second = new AbortController();
  const waiting = bell.wait(second.signal);
  second.abort();
  await waiting;
});

it('a ring that woke somebody is not kept', async () => {
  const bell = new Bell();
  const first = bell.wait(never);
  bell.ring();
  await first;
  let woken = false;
  const controller = new AbortController();
  const waiting = bell.wait(controller.signal).then(() => {
    woken = true;
  });
  await Promise.resolve();
  expect(woken).toBe(false);
  controller.abort();
  await waiting;
});

it('waiting ends after its time, and at once for who has been told to stop', async () => {
  const bell = new Bell();
  await bell.wait(never, 1);
  await bell.wait(AbortSignal.abort());
});
