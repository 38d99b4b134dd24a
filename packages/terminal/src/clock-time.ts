const DAY_MS = 86_400_000;

/** A moment as a person here would say it: with the day where that is not today, with seconds where it is near. */
export function clockTime(at: Date, now: Date): string {
  const awayMs = Math.abs(at.getTime() - now.getTime());
  const today = at.toDateString() === now.toDateString();
  const parts: Intl.DateTimeFormatOptions = {
    hour: '2-digit',
    minute: '2-digit',
    ...(awayMs < 120_000 ? { second: '2-digit' } : {}),
    ...(today ? {} : { weekday: 'short', day: 'numeric', month: 'short' }),
    ...(awayMs > 300 * DAY_MS ? { year: 'numeric' } : {}),
  };
  return new Intl.DateTimeFormat('en-GB', parts).format(at);
}

/** A range as short as it can be told: both ends, or one where they read the same. */
export function clockRange(from: Date, to: Date, now: Date): string {
  const texts = [clockTime(from, now), clockTime(to, now)];
  return [...new Set(texts)].join('–');
}
