import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { linuxPower } from './linux-power.ts';
import { parseHeat, parseSpeedLimit } from './parse-heat.ts';
import { parseMemoryPressure } from './parse-memory.ts';
import { parseDarkWake, parseLowPowerMode, parsePower } from './parse-power.ts';
import { parseIdleSeconds } from './parse-use.ts';

const AC = "Now drawing from 'AC Power'";
const BATTERY = "Now drawing from 'Battery Power'";
const own = (rest: string) => ` -InternalBattery-0 (id=1234567)\t${rest} present: true`;

describe('parsePower', () => {
  it.each<[string, readonly string[], string | null, number | null]>([
    ['a desktop', [AC], 'mains', null],
    ['charging', [AC, own('85%; charging; 1:23 remaining')], 'mains', 85],
    ['charged', [AC, own('100%; charged; 0:00 remaining')], 'mains', 100],
    ['attached without a time', [AC, own('80%; AC attached; not charging')], 'mains', 80],
    ['finishing', [AC, own('95%; finishing charge; 0:10 remaining')], 'mains', 95],
    ['on battery', [BATTERY, own('78%; discharging; 5:05 remaining')], 'battery', 78],
    ['without an estimate', [BATTERY, own('78%; discharging; (no estimate)')], 'battery', 78],
    [
      'a UPS, whose line comes first',
      [
        "Now drawing from 'UPS Power'",
        ' -Back-UPS ES 700G (id=77)\t87%; discharging; 0:30 remaining present: true',
      ],
      'ups',
      null,
    ],
    [
      'a laptop with a UPS',
      [AC, ' -Back-UPS (id=77)\t12%; charging; present: true', own('64%; charging; 1:00 remaining')],
      'mains',
      64,
    ],
    [
      'two batteries',
      [
        BATTERY,
        own('40%; discharging; 1:00 remaining'),
        ' -InternalBattery-1 (id=2)\t20%; discharging; present: true',
      ],
      'battery',
      20,
    ],
    ['a charge of 200 %', [AC, own('200%; charging; 1:00 remaining')], 'mains', null],
    ['another locale', ["Stromversorgung über 'Netzteil'", own('85%; lädt;')], null, 85],
    ['a cut text', ["Now drawing from 'Bat"], null, null],
    ['nothing', [], null, null],
  ])('%s', (_, lines, power, chargePercent) => {
    expect(parsePower(lines.join('\n'))).toEqual({ power, chargePercent });
  });
});

it.each<[string, boolean | null]>([
  [' lowpowermode         1\n', true],
  ['System-wide power settings:\n lowpowermode         0\n sleep 1', false],
  [' sleep 1', null],
  ['lowpowermode', null],
])('parseLowPowerMode reads %j as %s', (text, on) => {
  expect(parseLowPowerMode(text)).toBe(on);
});

it.each<[string, boolean | null]>([
  ['Current System Capabilities are: CPU Graphics Audio Network \nCurrent Power State: 4\n', false],
  ['Current System Capabilities are: CPU Network \n', true],
  ['Current System Capabilities are: \n', null],
  ['Current Power State: 4', null],
  ['', null],
])('parseDarkWake reads %j as %s', (text, isDark) => {
  expect(parseDarkWake(text)).toBe(isDark);
});

it.each([
  ['com.apple.system.thermalpressurelevel 0\n', 'nominal'],
  ['com.apple.system.thermalpressurelevel 2', 'heavy'],
  ['com.apple.system.thermalpressurelevel 9', null],
  ['com.apple.system.thermalpressurelevel', null],
  ['', null],
])('parseHeat reads %j as %s', (text, heat) => {
  expect(parseHeat(text)).toBe(heat);
});

it.each([
  ['\tCPU_Scheduler_Limit \t= 100\n\tCPU_Speed_Limit \t= 68\n', 'heavy'],
  ['\tCPU_Speed_Limit \t= 90', 'moderate'],
  ['\tCPU_Speed_Limit \t= 100', 'nominal'],
  ['Note: No thermal warning level has been recorded', null],
])('parseSpeedLimit reads %j as %s', (text, heat) => {
  expect(parseSpeedLimit(text)).toBe(heat);
});

it.each([
  ['    | |   "HIDIdleTime" = 4500000000\n', 4.5],
  ['"HIDIdleTime" = 9000000000\n"HIDIdleTime" = 1000000000', 1],
  ['"HIDIdleTime" = 99999999999999999999', null],
  ['no device', null],
])('parseIdleSeconds reads %j as %s', (text, seconds) => {
  expect(parseIdleSeconds(text)).toBe(seconds);
});

it.each([
  ['1\n', 'normal'],
  ['2', 'warn'],
  ['4', 'critical'],
  ['3', null],
  ['', null],
])('parseMemoryPressure reads %j as %s', (text, level) => {
  expect(parseMemoryPressure(text)).toBe(level);
});

it.each([
  ['a desktop', [], 'mains', null],
  [
    'on mains',
    [
      { type: 'Mains\n', online: '1\n' },
      { type: 'Battery', capacity: '55\n', status: 'Charging' },
    ],
    'mains',
    55,
  ],
  [
    'on battery',
    [
      { type: 'Mains', online: '0' },
      { type: 'Battery', capacity: '41', status: 'Discharging\n' },
    ],
    'battery',
    41,
  ],
  ['a mouse', [{ type: 'Battery', scope: 'Device', capacity: '5', status: 'Discharging' }], 'mains', null],
  ['a UPS alone', [{ type: 'UPS', status: 'Discharging' }], null, null],
  ['an unreadable charge', [{ type: 'Battery', capacity: 'x', status: 'Discharging' }], 'battery', null],
] as const)('linuxPower reads %s', (_, supplies, power, chargePercent) => {
  expect(linuxPower(supplies)).toEqual({ power, chargePercent });
});

it('no text makes a parser throw or report what is not there', () => {
  const words = fc.constantFrom(
    'Now drawing from ',
    "'AC Power'",
    ' -InternalBattery-0 (id=1)\t',
    '85%;',
    ' lowpowermode ',
    '1',
    '"HIDIdleTime" = ',
    '99999999999999999999999',
    'com.apple.system.thermalpressurelevel ',
    '\n',
    '\u202e',
  );
  const text = fc
    .array(fc.oneof(words, fc.string({ maxLength: 20 })), { maxLength: 12 })
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(text, (said) => {
      const { power, chargePercent } = parsePower(said);
      expect([null, 'mains', 'battery', 'ups']).toContain(power);
      expect(chargePercent === null || (chargePercent >= 0 && chargePercent <= 100)).toBe(true);
      expect([null, true, false]).toContain(parseLowPowerMode(said));
      expect([null, true, false]).toContain(parseDarkWake(said));
      const idle = parseIdleSeconds(said);
      expect(idle === null || Number.isFinite(idle)).toBe(true);
      for (const heat of [parseHeat(said), parseSpeedLimit(said)]) expect(heat).not.toBe(undefined);
      expect(parseMemoryPressure(said)).not.toBe(undefined);
    }),
  );
});
