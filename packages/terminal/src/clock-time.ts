const DAY_MS = 86_400_000;

/**
 * Formats a time in the local time zone, with the name of the zone: with the day unless it is today, with seconds if
 * it is near.
 */
export function clockTime(at: Date, now: Date): string {
  return `${zonelessTime(at, now)} ${zoneName(at)}`;
}

/** Formats a range of times. Prints one time if both ends look the same. */
export function clockRange(from: Date, to: Date, now: Date): string {
  const texts = [zonelessTime(from, now), zonelessTime(to, now)];
  return `${[...new Set(texts)].join('–')} ${zoneName(to)}`;
}

function zonelessTime(at: Date, now: Date): string {
  const distanceMs = Math.abs(at.getTime() - now.getTime());
  const today = at.toDateString() === now.toDateString();
  const parts: Intl.DateTimeFormatOptions = {
    hour: '2-digit',
    minute: '2-digit',
    ...(distanceMs < 120_000 ? { second: '2-digit' } : {}),
    ...(today ? {} : { weekday: 'short', day: 'numeric', month: 'short' }),
    ...(distanceMs > 300 * DAY_MS ? { year: 'numeric' } : {}),
  };
  return new Intl.DateTimeFormat('en-GB', parts).format(at);
}

function zoneName(at: Date): string {
  const parts = new Intl.DateTimeFormat('en-GB', { timeZoneName: 'short' }).formatToParts(at);
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? 'UTC';
}
