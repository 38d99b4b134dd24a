import { type DaySpan, WEEKDAYS, type Weekday } from './rules.ts';

const MINUTES_PER_DAY = 24 * 60;

/** Parses hours such as `20:00-07:00`. Null if they are none. */
export function parseHours(text: string): DaySpan | null {
  const match = /^(\d{1,2}):(\d{2})\s*[-–]\s*(\d{1,2}):(\d{2})$/.exec(text.trim());
  if (match === null) return null;
  const [fromHour = 0, fromMinute = 0, toHour = 0, toMinute = 0] = match.slice(1).map(Number);
  const from = fromHour * 60 + fromMinute;
  const to = toHour * 60 + toMinute;
  const isTime = (minute: number, total: number) => minute < 60 && total <= MINUTES_PER_DAY;
  return isTime(fromMinute, from) && isTime(toMinute, to) && from !== to
    ? { from: from % MINUTES_PER_DAY, to: to % MINUTES_PER_DAY }
    : null;
}

/** Parses days such as `mon, tue, sat`, or a span of them such as `mon-fri`. Null if one of them is none. */
export function parseDays(text: string): readonly Weekday[] | null {
  const days = text.split(',').map((part) => daysOf(part.trim().toLowerCase()));
  return days.some((each) => each.length === 0) ? null : [...new Set(days.flat())];
}

function daysOf(part: string): readonly Weekday[] {
  const [first = '', last = first] = part.split('-').map((name) => name.trim());
  const names: readonly string[] = WEEKDAYS;
  const from = names.indexOf(first);
  const to = names.indexOf(last);
  if (from === -1 || to === -1) return [];
  const length = ((to - from + WEEKDAYS.length) % WEEKDAYS.length) + 1;
  return [...WEEKDAYS, ...WEEKDAYS].slice(from, from + length);
}

/** Writes hours as people write them, such as `20:00–07:00`. */
export function spanText({ from, to }: DaySpan): string {
  return `${clockText(from)}–${clockText(to)}`;
}

const clockText = (minutes: number) =>
  `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;

const DAY_NAMES: Readonly<Record<Weekday, string>> = {
  sun: 'Sundays',
  mon: 'Mondays',
  tue: 'Tuesdays',
  wed: 'Wednesdays',
  thu: 'Thursdays',
  fri: 'Fridays',
  sat: 'Saturdays',
};

/** The name of a day in the plural. */
export function dayText(day: Weekday): string {
  return DAY_NAMES[day];
}
