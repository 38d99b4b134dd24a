/** Where the machine's power comes from. */
export type PowerSource = 'mains' | 'battery' | 'ups';

/** The kernel's levels of thermal pressure, as `OSThermalNotification.h` names them. */
export const HEAT_LEVELS = ['nominal', 'moderate', 'heavy', 'trapping', 'sleeping'] as const;
export type Heat = (typeof HEAT_LEVELS)[number];

export const MEMORY_LEVELS = ['normal', 'warn', 'critical'] as const;
export type MemoryPressure = (typeof MEMORY_LEVELS)[number];

/** What a machine says about itself. Null: unknown, because it does not say or says something unreadable. */
export interface Readings {
  readonly power: PowerSource | null;
  /** Charge of its own battery, in percent. Null also if it has none. */
  readonly chargePercent: number | null;
  readonly lowPowerMode: boolean | null;
  readonly heat: Heat | null;
  readonly memory: MemoryPressure | null;
  /** Seconds since somebody last used a keyboard, mouse or trackpad. */
  readonly idleSeconds: number | null;
  /** It woke for maintenance only, with its display off, and sleeps again soon. */
  readonly darkWake: boolean | null;
}

/** A machine that says nothing. */
export const NO_READINGS: Readings = {
  power: null,
  chargePercent: null,
  lowPowerMode: null,
  heat: null,
  memory: null,
  idleSeconds: null,
  darkWake: null,
};
