import { EXIT, Failure } from '@macbatch/terminal';

const SECONDS = { m: 60, h: 3600, d: 86_400, w: 7 * 86_400 } as const;

/** Parses an age such as 45m, 12h, 30d or 8w into seconds. */
export function parseAgeSeconds(option: string, text: string): number {
  const [, digits = '', unit = ''] = /^(\d{1,5})([mhdw])$/.exec(text) ?? [];
  const seconds = Object.entries(SECONDS).find(([name]) => name === unit)?.[1] ?? 0;
  const ageSeconds = Number(digits) * seconds;
  if (ageSeconds > 0) return ageSeconds;
  throw new Failure(
    EXIT.usage,
    `${option} must be a number above 0 with m, h, d or w, such as 30d, not "${text}"`,
  );
}
