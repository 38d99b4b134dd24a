import type { Readings } from '../readings/readings.ts';

export const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const;
export type Weekday = (typeof WEEKDAYS)[number];

/** A part of the day, in minutes after midnight. It contains midnight if `to` is not after `from`. */
export interface DaySpan {
  readonly from: number;
  readonly to: number;
}

/** When a worker may run on somebody's machine. Null switches a rule off. */
export interface Rules {
  /** On battery or a UPS: never, or while the charge is above this percentage. */
  readonly onBattery: 'pause' | { readonly abovePercent: number } | null;
  /** On mains, the battery is charged to this first. */
  readonly minChargeOnMains: number | null;
  /** Nobody has used the machine for this long. */
  readonly idleMinutes: number | null;
  /** From this level on it is too hot. */
  readonly maxHeat: 'moderate' | 'heavy' | 'trapping' | null;
  readonly lowPowerMode: 'pause' | null;
  readonly memoryPressure: 'warn' | 'critical' | null;
  readonly hours: DaySpan | null;
  readonly days: readonly Weekday[] | null;
}

/** The names of the rules, in the order in which they are looked at: the first that is broken is shown. */
export type RuleName =
  | 'dark_wake'
  | 'hours'
  | 'days'
  | 'on_battery'
  | 'min_charge_on_ac'
  | 'low_power_mode'
  | 'max_heat'
  | 'memory_pressure'
  | 'user_active';

/** The readings that the rules look at. */
export function wantedReadings(rules: Rules): ReadonlySet<keyof Readings> {
  const wanted = new Set<keyof Readings>();
  if (rules.onBattery !== null || rules.minChargeOnMains !== null) {
    wanted.add('power');
    wanted.add('chargePercent');
  }
  if (rules.idleMinutes !== null) wanted.add('idleSeconds');
  if (rules.maxHeat !== null) wanted.add('heat');
  if (rules.lowPowerMode !== null) wanted.add('lowPowerMode');
  if (rules.memoryPressure !== null) wanted.add('memory');
  return wanted;
}
