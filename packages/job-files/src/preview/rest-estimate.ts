/** A tried item that has run. */
export interface TriedItem {
  /** Seconds from its lease to its report. */
  readonly seconds: number;
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
 * Estimates the rest of a job from tried items, which took `elapsedSeconds` together. The range is two standard errors
 * of their mean duration. Returns null if nothing was measured.
 */
export function estimateRest(
  tried: readonly TriedItem[],
  elapsedSeconds: number,
  remainingItems: number,
): RestEstimate | null {
  const count = tried.length;
  if (count === 0 || elapsedSeconds <= 0) return null;
  const mean = tried.reduce((sum, { seconds }) => sum + seconds, 0) / count;
  const variance =
    tried.reduce((sum, { seconds }) => sum + (seconds - mean) ** 2, 0) / Math.max(1, count - 1);
  const error = count < 2 || mean <= 0 ? 1 : (2 * Math.sqrt(variance)) / mean / Math.sqrt(count);
  const spread = 1 + Math.max(LEAST_SPREAD, error);
  const likelySeconds = (remainingItems * elapsedSeconds) / count;
  const tokens = tried.reduce((sum, each) => sum + each.tokens, 0);
  return {
    items: remainingItems,
    likelySeconds,
    lowSeconds: likelySeconds / spread,
    highSeconds: likelySeconds * spread,
    tokens: Math.round((tokens / count) * remainingItems),
  };
}
