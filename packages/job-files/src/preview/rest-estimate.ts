/** A tried item that has run. */
export interface TriedItem {
  readonly leasedMs: number;
  readonly endedMs: number;
  readonly tokens: number;
}

/** What the rest of a job should take. */
export interface RestEstimate {
  readonly items: number;
  readonly likelySeconds: number;
  readonly lowSeconds: number;
  readonly highSeconds: number;
  readonly tokens: number;
}

/** Few items say little, however equal they are. */
const LEAST_SPREAD = 0.25;

/**
 * Estimates the rest of a job from tried items. Counts from the first outcome, because the time before it goes into
 * loading the model. The range is two standard errors of the items' mean duration; its upper end is at least what the
 * rest would take if each item cost as much as the tried ones with the loading. Returns null if nothing was measured.
 */
export function estimateRest(tried: readonly TriedItem[], remainingItems: number): RestEstimate | null {
  const count = tried.length;
  const ends = tried.map(({ endedMs }) => endedMs);
  const firstLease = Math.min(...tried.map(({ leasedMs }) => leasedMs));
  const lastEnd = Math.max(...ends);
  if (count === 0 || lastEnd <= firstLease) return null;
  const durations = tried.map(({ leasedMs, endedMs }) => endedMs - leasedMs);
  const withLoadingMs = (lastEnd - firstLease) / count;
  const afterFirstMs = count < 2 ? withLoadingMs : (lastEnd - Math.min(...ends)) / (count - 1);
  // At most all tried items ran at the same time.
  const itemMs = Math.min(withLoadingMs, Math.max(afterFirstMs, Math.min(...durations) / count));
  const mean = durations.reduce((sum, each) => sum + each, 0) / count;
  const variance = durations.reduce((sum, each) => sum + (each - mean) ** 2, 0) / Math.max(1, count - 1);
  const error = count < 2 ? 1 : (2 * Math.sqrt(variance)) / mean / Math.sqrt(count);
  const spread = 1 + Math.max(LEAST_SPREAD, error);
  const likelySeconds = (remainingItems * itemMs) / 1000;
  const tokens = tried.reduce((sum, each) => sum + each.tokens, 0);
  return {
    items: remainingItems,
    likelySeconds,
    lowSeconds: likelySeconds / spread,
    highSeconds: Math.max(likelySeconds * spread, (remainingItems * withLoadingMs) / 1000),
    tokens: Math.round((tokens / count) * remainingItems),
  };
}
