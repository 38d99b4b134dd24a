import { HEARTBEAT_ALIVE_SECONDS } from '@macbatch/core';
import { expect, it } from 'vitest';
import { pauseBefore } from './heartbeats.ts';

const PAUSE_MS = 30_000;
const pause = (over: { readonly hurries?: boolean; readonly missed?: boolean } = {}) =>
  pauseBefore({ hurries: false, missed: false, pauseMs: PAUSE_MS, ...over });

it('a heartbeat comes in its time, and at once while work waits for it', () => {
  expect(pause()).toBe(PAUSE_MS);
  expect(pause({ hurries: true, missed: true })).toBe(1000);
  expect(pauseBefore({ hurries: true, missed: false, pauseMs: 200 })).toBe(200);
});

it('W2: one that got lost is sent again so soon that the worker stays alive', () => {
  expect(pause() + pause({ missed: true })).toBeLessThan(HEARTBEAT_ALIVE_SECONDS * 1000);
});
