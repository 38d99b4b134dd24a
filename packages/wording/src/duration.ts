/** Formats a duration in the unit that is easiest to read. */
export function duration(seconds: number): string {
  if (!Number.isFinite(seconds)) return '–';
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 120) return `${Math.round(seconds)} s`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}

/** Formats items per second with two or three significant digits. */
export function rate(perSecond: number): string {
  if (!Number.isFinite(perSecond)) return '–';
  return perSecond < 10
    ? perSecond.toFixed(2)
    : perSecond < 100
      ? perSecond.toFixed(1)
      : Math.round(perSecond).toLocaleString('en');
}
