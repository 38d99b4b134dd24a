import type { MemoryPressure } from './readings.ts';

const LEVELS: Readonly<Record<string, MemoryPressure>> = { '1': 'normal', '2': 'warn', '4': 'critical' };

/** Parses the output of `sysctl -n kern.memorystatus_vm_pressure_level`. */
export function parseMemoryPressure(text: string): MemoryPressure | null {
  return LEVELS[text.trim()] ?? null;
}
