import { HEAT_LEVELS, MEMORY_LEVELS, type Readings } from '../readings/readings.ts';
import { dayText, spanText } from './day-span.ts';
import type { DaySpan, RuleName, Rules, Weekday } from './rules.ts';

/** The machine's local time. */
export interface LocalTime {
  readonly weekday: Weekday;
  /** After midnight. */
  readonly minutes: number;
}

export interface BrokenRule {
  readonly rule: RuleName;
  /** In words, such as `on battery (78 %)`. */
  readonly reason: string;
}

/** A battery is charged this much further before work goes on, so that it does not start and stop. */
const CHARGE_MARGIN_PERCENT = 10;

/**
 * Finds the first rule that keeps the worker from running. A reading that is unknown breaks no rule.
 *
 * @param paused The rule that it is paused by: some rules end a pause later than they begin it.
 */
export function brokenRule(
  readings: Readings,
  rules: Rules,
  time: LocalTime,
  paused: string | null,
): BrokenRule | null {
  const { power, chargePercent, idleSeconds } = readings;
  const margin = (rule: RuleName) => (paused === rule ? CHARGE_MARGIN_PERCENT : 0);
  const broken = (rule: RuleName, isBroken: boolean, reason: () => string): BrokenRule[] =>
    isBroken ? [{ rule, reason: reason() }] : [];
  const { onBattery, minChargeOnMains, idleMinutes, maxHeat, memoryPressure, hours, days } = rules;
  const charge = chargePercent === null ? '' : ` (${chargePercent} %)`;
  const isOnBattery = power === 'battery' || power === 'ups';
  const [first] = [
    ...broken('dark_wake', readings.darkWake === true, () => 'asleep but for maintenance'),
    ...broken('hours', hours !== null && !isWithin(hours, time.minutes), () =>
      hours === null ? '' : `outside ${spanText(hours)}`,
    ),
    ...broken(
      'days',
      days !== null && !days.includes(dayOf(time, hours)),
      () => `not on ${dayText(time.weekday)}`,
    ),
    ...broken(
      'on_battery',
      isOnBattery &&
        onBattery !== null &&
        (onBattery === 'pause' ||
          (chargePercent !== null && chargePercent <= onBattery.abovePercent + margin('on_battery'))),
      () => `on ${power === 'ups' ? 'UPS power' : 'battery'}${charge}`,
    ),
    ...broken(
      'min_charge_on_ac',
      power === 'mains' &&
        minChargeOnMains !== null &&
        chargePercent !== null &&
        chargePercent < Math.min(100, minChargeOnMains + margin('min_charge_on_ac')),
      () => `charging first${charge}`,
    ),
    ...broken(
      'low_power_mode',
      rules.lowPowerMode !== null && readings.lowPowerMode === true,
      () => 'in low-power mode',
    ),
    ...broken(
      'max_heat',
      isTooHot(readings, maxHeat, paused === 'max_heat'),
      () => `too hot (${readings.heat})`,
    ),
    ...broken(
      'memory_pressure',
      memoryPressure !== null &&
        readings.memory !== null &&
        MEMORY_LEVELS.indexOf(readings.memory) >= MEMORY_LEVELS.indexOf(memoryPressure),
      () => `short of memory (${readings.memory})`,
    ),
    ...broken(
      'user_active',
      idleMinutes !== null && idleSeconds !== null && idleSeconds < idleMinutes * 60,
      () => `in use (idle for ${Math.floor(idleSeconds ?? 0)} s of ${(idleMinutes ?? 0) * 60} s)`,
    ),
  ];
  return first ?? null;
}

/** Work that stopped for heat goes on only when the machine has cooled down entirely. */
function isTooHot({ heat }: Readings, max: Rules['maxHeat'], isPaused: boolean): boolean {
  if (max === null || heat === null) return false;
  return HEAT_LEVELS.indexOf(heat) >= (isPaused ? 1 : HEAT_LEVELS.indexOf(max));
}

/** Whether a time of day is in a span, which may contain midnight. */
function isWithin({ from, to }: DaySpan, minutes: number): boolean {
  return from < to ? minutes >= from && minutes < to : minutes >= from || minutes < to;
}

/** The day that a time belongs to: after midnight, a night belongs to the day on which it began. */
function dayOf({ weekday, minutes }: LocalTime, hours: DaySpan | null): Weekday {
  const isAfterMidnight = hours !== null && hours.from >= hours.to && minutes < hours.to;
  return isAfterMidnight ? BEFORE[weekday] : weekday;
}

const BEFORE: Readonly<Record<Weekday, Weekday>> = {
  sun: 'sat',
  mon: 'sun',
  tue: 'mon',
  wed: 'tue',
  thu: 'wed',
  fri: 'thu',
  sat: 'fri',
};
