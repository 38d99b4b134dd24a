import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NO_READINGS, type Readings } from '../readings/readings.ts';
import { brokenRule, type LocalTime } from './broken-rule.ts';
import { parseDays, parseHours } from './day-span.ts';
import { afterReading, NOT_PAUSED, type RuleState } from './rule-pause.ts';
import { type Rules, WEEKDAYS } from './rules.ts';

const NONE: Rules = {
  onBattery: null,
  minChargeOnMains: null,
  idleMinutes: null,
  maxHeat: null,
  lowPowerMode: null,
  memoryPressure: null,
  hours: null,
  days: null,
};
const NOON: LocalTime = { weekday: 'wed', minutes: 12 * 60 };
const night = parseHours('20:00-07:00');

describe('brokenRule', () => {
  it.each<[string, Partial<Readings>, Partial<Rules>, string | null, string?]>([
    ['no rule', { power: 'battery', heat: 'trapping' }, {}, null],
    ['battery', { power: 'battery', chargePercent: 78 }, { onBattery: 'pause' }, 'on battery (78 %)'],
    ['UPS', { power: 'ups' }, { onBattery: 'pause' }, 'on UPS power'],
    ['enough battery', { power: 'battery', chargePercent: 78 }, { onBattery: { abovePercent: 40 } }, null],
    [
      'little battery',
      { power: 'battery', chargePercent: 40 },
      { onBattery: { abovePercent: 40 } },
      'on battery (40 %)',
    ],
    ['unknown charge', { power: 'battery' }, { onBattery: { abovePercent: 40 } }, null],
    [
      'empty on mains',
      { power: 'mains', chargePercent: 18 },
      { minChargeOnMains: 20 },
      'charging first (18 %)',
    ],
    ['charged further', { power: 'mains', chargePercent: 25 }, { minChargeOnMains: 20 }, null],
    [
      'not yet charged',
      { power: 'mains', chargePercent: 25 },
      { minChargeOnMains: 20 },
      'charging first (25 %)',
      'min_charge_on_ac',
    ],
    [
      'a full battery is always enough',
      { power: 'mains', chargePercent: 100 },
      { minChargeOnMains: 95 },
      null,
      'min_charge_on_ac',
    ],
    ['low-power mode', { lowPowerMode: true }, { lowPowerMode: 'pause' }, 'in low-power mode'],
    ['heat', { heat: 'heavy' }, { maxHeat: 'heavy' }, 'too hot (heavy)'],
    ['some heat', { heat: 'moderate' }, { maxHeat: 'heavy' }, null],
    ['still warm', { heat: 'moderate' }, { maxHeat: 'heavy' }, 'too hot (moderate)', 'max_heat'],
    ['memory', { memory: 'critical' }, { memoryPressure: 'warn' }, 'short of memory (critical)'],
    ['in use', { idleSeconds: 40 }, { idleMinutes: 5 }, 'in use (idle for 40 s of 300 s)'],
    ['left alone', { idleSeconds: 301 }, { idleMinutes: 5 }, null],
    ['outside the hours', {}, { hours: night }, 'outside 20:00–07:00'],
    ['outside the days', {}, { days: ['sat', 'sun'] }, 'not on Wednesdays'],
  ])('%s', (_, readings, rules, reason, paused) => {
    const broken = brokenRule({ ...NO_READINGS, ...readings }, { ...NONE, ...rules }, NOON, paused ?? null);
    expect(broken?.reason ?? null).toBe(reason);
  });

  it('a night belongs to the day on which it began', () => {
    const rules = { ...NONE, hours: night, days: ['fri'] as const };
    const at = (weekday: LocalTime['weekday'], hour: number) =>
      brokenRule(NO_READINGS, rules, { weekday, minutes: hour * 60 }, null)?.rule ?? 'runs';
    expect([at('fri', 6), at('fri', 21), at('sat', 3), at('sat', 8), at('sat', 21)]).toEqual([
      'days',
      'runs',
      'runs',
      'hours',
      'days',
    ]);
  });

  it('unknown readings never pause', () => {
    const rules = fc.record<Rules>({
      onBattery: fc.constantFrom(null, 'pause' as const, { abovePercent: 40 }),
      minChargeOnMains: fc.constantFrom(null, 20),
      idleMinutes: fc.constantFrom(null, 5),
      maxHeat: fc.constantFrom(null, 'moderate' as const),
      lowPowerMode: fc.constantFrom(null, 'pause' as const),
      memoryPressure: fc.constantFrom(null, 'warn' as const),
      hours: fc.constant(null),
      days: fc.constant(null),
    });
    const paused = fc.constantFrom(null, 'max_heat', 'on_battery', 'min_charge_on_ac', 'user_active');
    fc.assert(
      fc.property(rules, paused, (each, rule) => {
        expect(brokenRule(NO_READINGS, each, NOON, rule)).toBeNull();
      }),
    );
  });
});

describe('afterReading', () => {
  const battery = { rule: 'on_battery', reason: 'on battery (78 %)' };
  const heat = { rule: 'max_heat', reason: 'too hot (heavy)' };
  const hours = { rule: 'hours', reason: 'outside 20:00–07:00' };

  /** The pauses after each reading, taken every ten seconds. */
  function pausesAfter(...found: readonly ({ rule: string; reason: string } | null)[]) {
    let state: RuleState = NOT_PAUSED;
    return found.map((each, n) => {
      state = afterReading(state, each, n * 10_000);
      return state.pause?.rule ?? '-';
    });
  }

  it('two readings in a row begin a pause, and two end it', () => {
    expect(pausesAfter(battery, null, battery, battery, null, battery, null, null)).toEqual([
      '-',
      '-',
      '-',
      'on_battery',
      'on_battery',
      'on_battery',
      'on_battery',
      '-',
    ]);
  });

  it('the clock and a person are believed at once', () => {
    expect(pausesAfter(hours, null, { rule: 'paused_here', reason: '' }, null)).toEqual([
      'hours',
      '-',
      'paused_here',
      '-',
    ]);
  });

  it('a hot Mac must stay cool for two minutes', () => {
    const cool = Array.from({ length: 13 }, () => null);
    expect(pausesAfter(heat, heat, ...cool)).toEqual([
      '-',
      ...Array.from({ length: 13 }, () => 'max_heat'),
      '-',
    ]);
  });

  it('another reason of the same rule keeps the time at which it began', () => {
    const begun = afterReading(afterReading(NOT_PAUSED, battery, 0), battery, 10);
    expect(afterReading(begun, { ...battery, reason: 'on battery (77 %)' }, 20).pause).toEqual({
      rule: 'on_battery',
      reason: 'on battery (77 %)',
      since: 10,
    });
  });

  it('a clock that is set back keeps nobody paused for longer', () => {
    const hot = afterReading(afterReading(NOT_PAUSED, heat, 1e9), heat, 1e9);
    const cooling = afterReading(hot, null, 1e9 + 10_000);
    expect(afterReading(cooling, null, 0).pause).toBeNull();
  });
});

it.each([
  ['20:00-07:00', { from: 1200, to: 420 }],
  ['0:00–24:00', { from: 0, to: 0 }],
  ['9:30 - 12:00', { from: 570, to: 720 }],
  ['09:00-09:00', null],
  ['25:00-07:00', null],
  ['9-12', null],
  ['', null],
])('parseHours reads %j', (text, span) => {
  expect(parseHours(text)).toEqual(span);
});

it.each([
  ['mon-fri', ['mon', 'tue', 'wed', 'thu', 'fri']],
  ['Sat, Sun', ['sat', 'sun']],
  ['fri-mon', ['fri', 'sat', 'sun', 'mon']],
  ['mon, someday', null],
  ['', null],
])('parseDays reads %j', (text, days) => {
  expect(parseDays(text)).toEqual(days);
});

it('every time of a whole day is within it', () => {
  const rules = { ...NONE, hours: parseHours('00:00-24:00') };
  for (const minutes of [0, 1, 720, 1439])
    expect(brokenRule(NO_READINGS, rules, { weekday: WEEKDAYS[0], minutes }, null)).toBeNull();
});
