import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { keepsAwake } from '../keep-awake/keep-awake.ts';
import { NO_READINGS, type Readings } from '../readings/readings.ts';
import type { Rules } from '../rules/rules.ts';
import { type PauseHere, readPause, removePause, writePause } from './pause-file.ts';
import { watchRules } from './rule-watch.ts';

const RULES: Rules = {
  onBattery: 'pause',
  minChargeOnMains: null,
  idleMinutes: null,
  maxHeat: null,
  lowPowerMode: null,
  memoryPressure: null,
  hours: null,
  days: null,
};

interface Second {
  readonly readings?: Partial<Readings>;
  readonly person?: PauseHere | null;
  readonly busy?: boolean;
}

/** Watches for a simulated time; `at` says how things are at each second. Returns what was told, with the seconds. */
async function watched(
  seconds: number,
  at: (second: number) => Second,
  rules: Rules | null = RULES,
  sleepAt: (second: number) => number = () => 0,
) {
  let nowMs = 0;
  let reads = 0;
  const told: string[] = [];
  const sleeps: number[] = [];
  const stopped = new AbortController();
  const second = () => at(nowMs / 1000);
  await watchRules(
    {
      rules,
      read: async () => {
        reads += 1;
        return { ...NO_READINGS, ...second().readings };
      },
      readPause: async () => second().person ?? null,
      localTime: () => ({ weekday: 'wed', minutes: 720 }),
      now: () => nowMs,
      isBusy: () => second().busy === true,
      onPause: (pause) => told.push(`${nowMs / 1000}: ${pause === null ? 'goes on' : pause.rule}`),
      onWake: (sleptMs) => sleeps.push(sleptMs / 1000),
      sleep: async (ms) => {
        nowMs += ms + sleepAt((nowMs + ms) / 1000) * 1000;
        if (nowMs >= seconds * 1000) stopped.abort();
      },
    },
    stopped.signal,
  );
  return { told, reads, sleeps };
}

it('a second reading confirms the first within seconds', async () => {
  const { told } = await watched(200, (s) => ({
    readings: { power: s >= 60 && s < 120 ? 'battery' : 'mains' },
    busy: true,
  }));
  expect(told).toEqual(['62: on_battery', '124: goes on']);
});

it('believes the first reading at once, so that a worker that starts on battery takes no work', async () => {
  const { told } = await watched(10, () => ({ readings: { power: 'battery' } }));
  expect(told).toEqual(['0: on_battery']);
});

it('tells of a sleep, reads at once, and takes no work while the machine is only half awake', async () => {
  let isAsleep = false;
  const { told, sleeps } = await watched(
    400,
    (s) => ({ readings: { darkWake: s < 360 ? isAsleep : false } }),
    RULES,
    (s) => {
      isAsleep = s >= 100;
      return s === 100 ? 200 : 0;
    },
  );
  expect(sleeps).toEqual([200]);
  expect(told).toEqual(['300: dark_wake', '362: goes on']);
});

it('reads less often while there is no work', async () => {
  const idle = await watched(600, () => ({ readings: { power: 'mains' } }));
  const busy = await watched(600, () => ({ readings: { power: 'mains' }, busy: true }));
  expect([idle.reads, busy.reads]).toEqual([20, 60]);
});

it('a person pauses and resumes within seconds, with and without rules', async () => {
  const person = (s: number) => ({ person: s >= 11 && s < 31 ? { until: null, reason: 'film' } : null });
  expect((await watched(60, person)).told).toEqual(['12: paused_here', '32: goes on']);
  expect((await watched(60, person, null)).told).toEqual(['12: paused_here', '32: goes on']);
});

it('after a person has resumed, a broken rule still holds', async () => {
  const { told } = await watched(60, (s) => ({
    readings: { power: 'battery' },
    person: s < 20 ? { until: null, reason: null } : null,
  }));
  expect(told).toEqual(['0: paused_here', '20: on_battery']);
});

it('keeps the pause of a person in a file, until its end', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'macbatch-pause-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const now = new Date('2026-01-01T12:00:00Z');
  const until = new Date('2026-01-01T18:00:00Z');
  expect(await readPause(folder, now)).toBeNull();
  await writePause(folder, { until, reason: 'film' });
  expect(await readPause(folder, now)).toEqual({ until, reason: 'film' });
  expect(await readPause(folder, until)).toBeNull();
  expect([await removePause(folder), await removePause(folder)]).toEqual([true, false]);
});

it.each(['', 'null', '[]', '{"until":5}', '{"until":"soon"}', '{"reason":{}}', '\0'])(
  'a file with %j still pauses',
  async (text) => {
    const folder = mkdtempSync(join(tmpdir(), 'macbatch-pause-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, 'pause.json'), text);
    expect(await readPause(folder, new Date())).toEqual({ until: null, reason: null });
  },
);

it.each<[string, Partial<Parameters<typeof keepsAwake>[0]>, boolean]>([
  ['works on mains', {}, true],
  ['works on battery', { isOnMains: false }, false],
  ['works, and nobody knows on what', { isOnMains: null }, false],
  ['is paused', { isPaused: true }, false],
  ['worked half a minute ago', { isWorking: false, workedAt: 70_000 }, true],
  ['worked two minutes ago', { isWorking: false, workedAt: -20_000 }, false],
  ['has never worked', { isWorking: false, workedAt: null }, false],
])('a Mac that %s is kept awake or not', (_, reasons, awake) => {
  const working = { isWorking: true, isOnMains: true, isPaused: false, workedAt: 100_000 };
  expect(keepsAwake({ ...working, ...reasons }, 100_000)).toBe(awake);
});
