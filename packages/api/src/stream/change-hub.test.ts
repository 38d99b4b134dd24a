import type { Changes } from '@macbatch/store';
import { expect, it } from 'vitest';
import { OPEN } from '../auth/caller.ts';
import { ChangeHub } from './change-hub.ts';
import { toTopics } from './topics.ts';

const NOTHING: Changes = { jobs: [], workers: [], events: new Map() };

/** A hub over a reader that counts its readings. */
function countingHub(changes: () => Changes = () => NOTHING) {
  const readings = { readers: 0, reads: 0 };
  const stopping = new AbortController();
  const hub = new ChangeHub({
    newReader: () => {
      readings.readers += 1;
      return {
        async read() {
          readings.reads += 1;
          return changes();
        },
      };
    },
    isValid: async () => true,
    onError: (error) => {
      throw error;
    },
    stopping: stopping.signal,
    readEveryMs: 1,
  });
  return { hub, readings, stop: () => stopping.abort() };
}

const open = (hub: ChangeHub, topics: string, gone = new AbortController().signal) =>
  hub.open(OPEN, toTopics(topics.split(',')), gone);

it('200 connects and disconnects leave no listener, and nothing is read any more', async () => {
  const { hub, readings } = countingHub();
  for (let n = 0; n < 200; n += 1) {
    const gone = new AbortController();
    const stream = open(hub, 'jobs', gone.signal);
    if (n % 3 === 0) gone.abort();
    else if (n % 3 === 1) await stream.cancel();
    else {
      const reader = stream.getReader();
      await reader.read();
      gone.abort();
      while (!(await reader.read()).done);
    }
  }
  expect(hub.size).toBe(0);
  const { reads } = readings;
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(readings.reads - reads).toBeLessThanOrEqual(1);
});

it('one reading serves all streams, and a new reader begins after a time without streams', async () => {
  const { hub, readings } = countingHub(() => ({ ...NOTHING, workers: ['ann'] }));
  const streams = Array.from({ length: 50 }, () => open(hub, 'workers').getReader());
  for (const stream of streams) {
    await stream.read();
    await stream.read();
  }
  expect(readings.readers).toBe(1);
  for (const stream of streams) await stream.cancel();
  expect(hub.size).toBe(0);
  const next = open(hub, 'workers').getReader();
  await next.read();
  await next.read();
  expect(readings.readers).toBe(2);
  await next.cancel();
});

it('is ready only when every later change is told: after the first reading that knows the stream', async () => {
  const reading = Promise.withResolvers<Changes>();
  const hub = new ChangeHub({
    newReader: () => ({ read: () => reading.promise }),
    isValid: async () => true,
    onError: (error) => {
      throw error;
    },
    readEveryMs: 1,
  });
  const reader = open(hub, 'workers').getReader();
  const first = reader.read();
  // More than enough for a stream that is ready before it was read for.
  expect(await Promise.race([first, new Promise((resolve) => setTimeout(resolve, 50, 'not ready'))])).toBe(
    'not ready',
  );
  reading.resolve({ ...NOTHING, workers: ['changed before'] });
  const text = new TextDecoder().decode((await first).value);
  expect(text).toContain('event: ready');
  expect(text).not.toContain('changed before');
  await reader.cancel();
});

it('merges what a slow reader has not taken', async () => {
  let n = 0;
  const { hub, readings } = countingHub(() => {
    n += 1;
    return { ...NOTHING, workers: [`mac-${n}`] };
  });
  const reader = open(hub, 'workers').getReader();
  while (readings.reads < 60) await new Promise((resolve) => setTimeout(resolve, 1));
  const decoder = new TextDecoder();
  const chunks: string[] = [];
  while (!chunks.join('').includes('mac-40')) chunks.push(decoder.decode((await reader.read()).value));
  expect(chunks.length).toBeLessThan(15);
  await reader.cancel();
});

it('ends all streams when the control plane stops', async () => {
  const { hub, stop } = countingHub();
  const reader = open(hub, 'jobs').getReader();
  stop();
  while (!(await reader.read()).done);
  expect(hub.size).toBe(0);
  expect((await open(hub, 'jobs').getReader().read()).done).toBe(true);
  expect(hub.size).toBe(0);
});
