import type { PowerSource, Readings } from './readings.ts';

const SOURCES: Readonly<Record<string, PowerSource>> = {
  'AC Power': 'mains',
  'Battery Power': 'battery',
  'UPS Power': 'ups',
};

/**
 * Parses the output of `pmset -g batt`. Only lines of an `InternalBattery` are about the Mac's own battery: a UPS or an
 * accessory has lines of its own, which may come first. Of several batteries, the emptiest counts.
 */
export function parsePower(text: string): Pick<Readings, 'power' | 'chargePercent'> {
  const source = /^Now drawing from '([^'\n]{1,40})'/m.exec(text)?.[1];
  const charges = [...text.matchAll(/^ ?-InternalBattery-\d{1,3}[^\n;]*?\t?\s(\d{1,3})%;/gm)]
    .map(([, percent]) => Number(percent))
    .filter((percent) => percent <= 100);
  return {
    power: source === undefined ? null : (SOURCES[source] ?? null),
    chargePercent: charges.length === 0 ? null : Math.min(...charges),
  };
}

/** Parses the setting `lowpowermode` of `pmset -g`. Desktops have none. */
export function parseLowPowerMode(text: string): boolean | null {
  const value = /^\s*lowpowermode\s+(\d)\s*$/m.exec(text)?.[1];
  return value === undefined ? null : value !== '0';
}

/**
 * Parses the output of `pmset -g systemstate`. A Mac that woke for maintenance runs without graphics. Null if it does
 * not tell what it runs with.
 */
export function parseDarkWake(text: string): boolean | null {
  const capabilities = /^Current System Capabilities are: ([A-Za-z ]+?)\s*$/m.exec(text)?.[1]?.split(/ +/);
  if (capabilities === undefined || !capabilities.includes('CPU')) return null;
  return !capabilities.includes('Graphics');
}
