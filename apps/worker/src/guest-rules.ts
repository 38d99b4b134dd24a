import type { Agent } from '@macbatch/agent';
import {
  Caffeinate,
  keepsAwake,
  type LocalTime,
  type Readings,
  readMachine,
  readPause,
  WEEKDAYS,
  wantedReadings,
  watchRules,
} from '@macbatch/machine';
import { type RulesConfig, rulesOf } from '@macbatch/settings';

export interface GuestRulesOptions {
  readonly config: RulesConfig;
  readonly agent: Pick<Agent, 'isBusy' | 'setPause'>;
  /** The worker's own folder. */
  readonly folder: string;
  readonly now: () => number;
  /** Called when the Mac has slept, or the process was stopped, for so long. */
  readonly onWake: (sleptMs: number) => void;
}

/**
 * Makes the worker a good guest on somebody's Mac, until `stopped` aborts: it pauses when a rule or a person at the Mac
 * says so, and keeps the Mac from idle sleep only while there is work.
 */
export async function followGuestRules(
  { config, agent, folder, now, onWake }: GuestRulesOptions,
  stopped: AbortSignal,
): Promise<void> {
  const rules = rulesOf(config);
  const caffeinate = new Caffeinate();
  const mayKeepAwake = config.MACBATCH_RULES_KEEP_AWAKE && process.platform === 'darwin';
  const wanted = new Set(rules === null ? [] : wantedReadings(rules));
  if (mayKeepAwake) wanted.add('power');
  let readings: Readings | null = null;
  let workedAt: number | null = null;
  let isPaused = false;
  await watchRules(
    {
      rules,
      async read(isWaking) {
        const also: readonly (keyof Readings)[] = isWaking && rules !== null ? ['darkWake'] : [];
        readings = await readMachine({ platform: process.platform, wanted: new Set([...wanted, ...also]) });
        return readings;
      },
      readPause: () => readPause(folder, new Date()),
      localTime: () => localTime(new Date()),
      now,
      isBusy: () => agent.isBusy,
      onPause(pause) {
        isPaused = pause !== null;
        agent.setPause(pause === null ? null : { rule: pause.rule, reason: pause.reason });
      },
      onWake,
      onLook() {
        if (agent.isBusy) workedAt = now();
        if (!mayKeepAwake) return;
        const isOnMains = readings?.power == null ? null : readings.power === 'mains';
        caffeinate.set(keepsAwake({ isWorking: agent.isBusy, isOnMains, isPaused, workedAt }, now()));
      },
    },
    stopped,
  );
  caffeinate.set(false);
}

function localTime(at: Date): LocalTime {
  return {
    weekday: WEEKDAYS[at.getDay()] ?? 'sun',
    minutes: at.getHours() * 60 + at.getMinutes(),
  };
}
