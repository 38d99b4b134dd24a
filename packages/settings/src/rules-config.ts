import { parseDays, parseHours, type Rules } from '@macbatch/machine';
import { z } from 'zod';
import { flag } from './flag.ts';

const UNTIL_PERCENT = /^until (\d{1,3}) ?%?$/;

const percent = z.coerce
  .number('must be a percentage')
  .min(0, 'must be 0 to 100')
  .max(100, 'must be 0 to 100');

/** The rules of a worker: when it may run on somebody's Mac. */
export const RulesConfig = z.object({
  MACBATCH_RULES_ENABLED: flag.default(true),
  MACBATCH_RULES_ON_BATTERY: z
    .string()
    .refine(
      (text) => ['pause', 'run'].includes(text) || Number(UNTIL_PERCENT.exec(text)?.[1] ?? 101) <= 100,
      'must be pause, run, or until 40 %',
    )
    .default('pause'),
  MACBATCH_RULES_MIN_CHARGE_ON_AC: percent.default(20),
  MACBATCH_RULES_IDLE_MINUTES: z.coerce.number('must be a number of minutes').min(0).max(1440).default(0),
  MACBATCH_RULES_MAX_HEAT: z
    .enum(['moderate', 'heavy', 'trapping', 'run'], 'must be moderate, heavy, trapping or run')
    .default('heavy'),
  MACBATCH_RULES_LOW_POWER_MODE: z.enum(['pause', 'run'], 'must be pause or run').default('pause'),
  MACBATCH_RULES_MEMORY_PRESSURE: z
    .enum(['warn', 'critical', 'run'], 'must be warn, critical or run')
    .default('critical'),
  MACBATCH_RULES_HOURS: z
    .string()
    .refine((text) => parseHours(text) !== null, 'must be hours such as 20:00-07:00')
    .optional(),
  MACBATCH_RULES_DAYS: z
    .string()
    .refine((text) => parseDays(text) !== null, 'must be days such as mon-fri or sat, sun')
    .optional(),
  MACBATCH_RULES_KEEP_AWAKE: flag.default(true),
});
export type RulesConfig = z.output<typeof RulesConfig>;

/** The rules that a configuration sets. Null: they are switched off. */
export function rulesOf(config: RulesConfig): Rules | null {
  if (!config.MACBATCH_RULES_ENABLED) return null;
  const { MACBATCH_RULES_HOURS: hours, MACBATCH_RULES_DAYS: days } = config;
  const unlessRun = <Value>(value: Value | 'run') => (value === 'run' ? null : value);
  return {
    onBattery: batteryRule(config.MACBATCH_RULES_ON_BATTERY),
    minChargeOnMains: config.MACBATCH_RULES_MIN_CHARGE_ON_AC || null,
    idleMinutes: config.MACBATCH_RULES_IDLE_MINUTES || null,
    maxHeat: unlessRun(config.MACBATCH_RULES_MAX_HEAT),
    lowPowerMode: unlessRun(config.MACBATCH_RULES_LOW_POWER_MODE),
    memoryPressure: unlessRun(config.MACBATCH_RULES_MEMORY_PRESSURE),
    hours: hours === undefined ? null : parseHours(hours),
    days: days === undefined ? null : parseDays(days),
  };
}

function batteryRule(text: string): Rules['onBattery'] {
  const above = UNTIL_PERCENT.exec(text)?.[1];
  if (above !== undefined) return { abovePercent: Number(above) };
  return text === 'run' ? null : 'pause';
}
