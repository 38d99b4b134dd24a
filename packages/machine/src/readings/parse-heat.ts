import { HEAT_LEVELS, type Heat } from './readings.ts';

/** Parses the output of `notifyutil -g com.apple.system.thermalpressurelevel`: the name and a level. */
export function parseHeat(text: string): Heat | null {
  const level = /^com\.apple\.system\.thermalpressurelevel (\d)\s*$/m.exec(text)?.[1];
  return level === undefined ? null : (HEAT_LEVELS[Number(level)] ?? null);
}

/** Below this part of its speed, an Intel Mac counts as hot. */
const HOT_SPEED_PERCENT = 70;

/** Parses the output of `pmset -g therm`, which tells of Intel Macs how much their speed is limited. */
export function parseSpeedLimit(text: string): Heat | null {
  const percent = /^\s*CPU_Speed_Limit\s*=\s*(\d{1,3})\s*$/m.exec(text)?.[1];
  if (percent === undefined || Number(percent) > 100) return null;
  if (Number(percent) === 100) return 'nominal';
  return Number(percent) < HOT_SPEED_PERCENT ? 'heavy' : 'moderate';
}
