import { EXIT, Failure } from '@macbatch/terminal';

const SECONDS = { m: 60, h: 3600, d: 86_400, w: 7 * 86_400 } as const;

/** The seconds of an age as people write it: 45m, 12h, 30d, 8w. */
export function secondsOf(option: string, text: string): number {
  const [, digits = '', unit = ''] = /^(\d{1,5})([mhdw])$/.exec(text) ?? [];
  const seconds = Object.entries(SECONDS).find(([name]) => name === unit)?.[1] ?? 0;
  const age = Number(digits) * seconds;
  if (age > 0) return age;
  throw new Failure(EXIT.usage, `${option}: a number above 0 of m, h, d or w, as in 30d, not "${text}"`);
}
