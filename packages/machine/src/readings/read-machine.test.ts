import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { readMachine } from './read-machine.ts';
import { NO_READINGS, type Readings } from './readings.ts';

const SAID: Readonly<Record<string, string>> = {
  '/usr/bin/pmset -g batt':
    "Now drawing from 'AC Power'\n -InternalBattery-0 (id=1)\t64%; charging; 1:00 remaining present: true",
  '/usr/bin/pmset -g': ' lowpowermode         0',
  '/usr/bin/notifyutil -g com.apple.system.thermalpressurelevel': 'com.apple.system.thermalpressurelevel 1',
  '/usr/sbin/sysctl -n kern.memorystatus_vm_pressure_level': '2',
  '/usr/bin/pmset -g systemstate': 'Current System Capabilities are: CPU Network \nCurrent Power State: 3',
  '/usr/sbin/ioreg -c IOHIDSystem -d 4': '"HIDIdleTime" = 4500000000',
};

function mac(wanted: readonly (keyof Readings)[], said = SAID) {
  const asked: string[] = [];
  const run = async (path: string, args: readonly string[]) => {
    asked.push([path, ...args].join(' '));
    return said[[path, ...args].join(' ')] ?? '';
  };
  return { asked, read: () => readMachine({ platform: 'darwin', wanted: new Set(wanted), run }) };
}

it('asks a Mac for all that is wanted', async () => {
  const { read } = mac(['power', 'lowPowerMode', 'heat', 'memory', 'idleSeconds', 'darkWake']);
  expect(await read()).toEqual({
    power: 'mains',
    chargePercent: 64,
    lowPowerMode: false,
    heat: 'moderate',
    memory: 'warn',
    idleSeconds: 4.5,
    darkWake: true,
  });
});

it('starts no program for what nobody wants', async () => {
  const { read, asked } = mac(['memory']);
  expect(await read()).toEqual({ ...NO_READINGS, memory: 'warn' });
  expect(asked).toEqual(['/usr/sbin/sysctl -n kern.memorystatus_vm_pressure_level']);
});

it('knows nothing when every program fails, and asks an Intel Mac for its speed', async () => {
  const { read, asked } = mac(['power', 'heat'], {});
  expect(await read()).toEqual(NO_READINGS);
  expect(asked).toContain('/usr/bin/pmset -g therm');
});

it('reads the power supplies of Linux', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'macbatch-supplies-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'BAT0'));
  for (const [file, text] of [
    ['type', 'Battery\n'],
    ['capacity', '33\n'],
    ['status', 'Discharging\n'],
  ] as const)
    writeFileSync(join(folder, 'BAT0', file), text);
  const wanted = new Set<keyof Readings>(['power']);
  expect(await readMachine({ platform: 'linux', wanted, powerSupplies: folder })).toEqual({
    ...NO_READINGS,
    power: 'battery',
    chargePercent: 33,
  });
  expect(await readMachine({ platform: 'linux', wanted, powerSupplies: join(folder, 'none') })).toEqual(
    NO_READINGS,
  );
});
