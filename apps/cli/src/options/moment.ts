import { EXIT, Failure } from '@macbatch/terminal';
import { parseAgeSeconds } from './age.ts';

/**
 * Parses the end of something: a time from now such as 45m, 12h or 2d, a time of the day in the local zone such as
 * 18:00 (today, or tomorrow if it has passed), or a date and time such as 2026-11-30T18:00.
 */
export function parseMoment(option: string, text: string, now: Date): Date {
  if (/^\d+[a-z]$/.test(text)) return new Date(now.getTime() + parseAgeSeconds(option, text) * 1000);
  const [, hours, minutes] = /^(\d{1,2}):(\d{2})$/.exec(text) ?? [];
  if (hours !== undefined && Number(hours) < 24 && Number(minutes) < 60) {
    const at = new Date(now);
    at.setHours(Number(hours), Number(minutes), 0, 0);
    if (at <= now) at.setDate(at.getDate() + 1);
    return at;
  }
  const at = /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(text) ? new Date(text) : new Date(Number.NaN);
  if (!Number.isNaN(at.getTime())) return at;
  throw new Failure(
    EXIT.usage,
    `${option} must be a time such as 18:00, 90m, 12h or 2026-11-30T18:00, not "${text}"`,
  );
}
