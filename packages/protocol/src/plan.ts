import { EXIT, Failure } from '@macbatch/terminal';

/** The hours of the protocol at which its steps run. */
export const HOURS = { kill: 6, restart: 12, duplicates: 24, end: 48 } as const;

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600 };

/** Parses a time span such as 3m, 48h or 90s into seconds. */
function seconds(text: string): number {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)([smh])$/.exec(text) ?? [];
  const factor = UNITS[unit ?? ''];
  if (factor === undefined)
    throw new Failure(EXIT.usage, `"${text}" is not a time span; write 90s, 3m or 48h`);
  return Number(amount) * factor;
}

/** Returns how many real seconds an hour of the protocol takes. */
export function secondsPerHour(options: { readonly hours?: string; readonly compress: string }): number {
  if (options.hours !== undefined) {
    const hours = Number(options.hours);
    if (!(hours > 0)) throw new Failure(EXIT.usage, '--hours must be a number of hours, such as 48');
    return (hours * 3600) / HOURS.end;
  }
  const [from, to, ...rest] = options.compress.split('=');
  if (from === undefined || to === undefined || rest.length > 0)
    throw new Failure(EXIT.usage, '--compress must look like 48h=3m');
  return (seconds(to) / seconds(from)) * 3600;
}

/** A job that keeps the workers busy for most of the protocol. */
export interface Workload {
  readonly items: number;
  readonly shardSize: number;
  readonly itemMs: number;
}

/** Sizes a job that takes the pool about three quarters of the protocol. */
export function workload(totalSeconds: number, slots: number, items: number): Workload {
  const itemMs = Math.min(600_000, Math.max(1, Math.round((totalSeconds * 1000 * 0.75 * slots) / items)));
  return { items, shardSize: 5, itemMs };
}
