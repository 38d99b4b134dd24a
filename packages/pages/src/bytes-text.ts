const UNITS = ['kB', 'MB', 'GB', 'TB'] as const;

/** Formats a size in the largest decimal unit that leaves a number of at least 1. */
export function bytesText(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  let value = bytes;
  let unit: string = 'B';
  for (const larger of UNITS) {
    if (value < 999.5) break;
    value /= 1000;
    unit = larger;
  }
  return `${value < 9.95 ? value.toFixed(1) : Math.round(value)} ${unit}`;
}
