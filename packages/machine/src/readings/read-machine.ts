import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { linuxPower, type PowerSupply } from './linux-power.ts';
import { parseHeat, parseSpeedLimit } from './parse-heat.ts';
import { parseMemoryPressure } from './parse-memory.ts';
import { parseDarkWake, parseLowPowerMode, parsePower } from './parse-power.ts';
import { parseIdleSeconds } from './parse-use.ts';
import { NO_READINGS, type Readings } from './readings.ts';

/** A command that takes longer than this says nothing. */
const TIMEOUT_MS = 3000;
const MAX_OUTPUT_BYTES = 1024 ** 2;

export interface ReadOptions {
  readonly platform: NodeJS.Platform;
  /** Which readings are wanted: each costs a process. */
  readonly wanted: ReadonlySet<keyof Readings>;
  /** Runs a program and returns its output; an empty text if it fails. */
  readonly run?: (path: string, args: readonly string[]) => Promise<string>;
  readonly powerSupplies?: string;
}

/** Asks the machine for what is wanted. What it does not say stays unknown; nothing throws. */
export async function readMachine(options: ReadOptions): Promise<Readings> {
  if (options.platform === 'darwin') return readMac(options.wanted, options.run ?? runProgram);
  if (options.platform !== 'linux' || !options.wanted.has('power')) return NO_READINGS;
  const supplies = await readSupplies(options.powerSupplies ?? '/sys/class/power_supply');
  return { ...NO_READINGS, ...(supplies === null ? {} : linuxPower(supplies)) };
}

type Run = NonNullable<ReadOptions['run']>;

async function readMac(wanted: ReadOptions['wanted'], run: Run): Promise<Readings> {
  const ask = async <Value>(
    needs: readonly (keyof Readings)[],
    [path, ...args]: readonly [string, ...string[]],
    parse: (text: string) => Value,
  ): Promise<Value | null> => (needs.some((name) => wanted.has(name)) ? parse(await run(path, args)) : null);
  const [power, lowPowerMode, heat, memory, idleSeconds, darkWake] = await Promise.all([
    ask(['power', 'chargePercent'], ['/usr/bin/pmset', '-g', 'batt'], parsePower),
    ask(['lowPowerMode'], ['/usr/bin/pmset', '-g'], parseLowPowerMode),
    ask(['heat'], ['/usr/bin/notifyutil', '-g', 'com.apple.system.thermalpressurelevel'], parseHeat),
    ask(['memory'], ['/usr/sbin/sysctl', '-n', 'kern.memorystatus_vm_pressure_level'], parseMemoryPressure),
    ask(['idleSeconds'], ['/usr/sbin/ioreg', '-c', 'IOHIDSystem', '-d', '4'], parseIdleSeconds),
    ask(['darkWake'], ['/usr/bin/pmset', '-g', 'systemstate'], parseDarkWake),
  ]);
  return {
    ...NO_READINGS,
    ...power,
    lowPowerMode,
    // Intel Macs may not publish the level.
    heat: heat ?? (await ask(['heat'], ['/usr/bin/pmset', '-g', 'therm'], parseSpeedLimit)),
    memory,
    idleSeconds,
    darkWake,
  };
}

/** Runs a program in the C locale. */
function runProgram(path: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    const env = { LC_ALL: 'C', PATH: '/usr/bin:/bin:/usr/sbin:/sbin' };
    execFile(
      path,
      args,
      { env, timeout: TIMEOUT_MS, killSignal: 'SIGKILL', maxBuffer: MAX_OUTPUT_BYTES },
      (error, stdout) => resolve(error === null ? stdout : ''),
    );
  });
}

async function readSupplies(folder: string): Promise<readonly PowerSupply[] | null> {
  const names = await readdir(folder).catch(() => null);
  if (names === null) return null;
  const text = (name: string, file: string) =>
    readFile(join(folder, name, file), 'utf8').catch(() => undefined);
  return Promise.all(
    names.map(async (name) => {
      const files = ['type', 'scope', 'online', 'capacity', 'status'] as const;
      const texts = await Promise.all(files.map(async (file) => [file, await text(name, file)] as const));
      return Object.fromEntries(texts.filter(([, value]) => value !== undefined)) as PowerSupply;
    }),
  );
}
