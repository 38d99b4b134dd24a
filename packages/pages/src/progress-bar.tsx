import { grouped } from '@macbatch/wording';

export interface ItemCounts {
  readonly total: number;
  readonly ok: number;
  readonly error: number;
  readonly failed: number;
}

/** The share of items that have ended, rounded down, so that 100 % means all. */
export function percentEnded({ total, ok, error, failed }: ItemCounts): number {
  return total === 0 ? 100 : Math.floor((100 * (ok + error + failed)) / total);
}

/** Shows how many items are ok, have errors, failed and are open, as one bar with a text alternative. */
export function ProgressBar({ items }: { readonly items: ItemCounts }) {
  const { total, ok, error, failed } = items;
  // A class of items that exists is at least one unit wide, so that a single error can be seen.
  const width = (count: number) => (count === 0 ? 0 : Math.max(1, (200 * count) / Math.max(1, total)));
  const [okWidth, errorWidth, failedWidth] = [width(ok), width(error), width(failed)];
  const scale = Math.min(1, 200 / Math.max(1, okWidth + errorWidth + failedWidth));
  const label = `${percentEnded(items)} %: ${grouped(ok)} ok, ${grouped(error)} with an error, ${grouped(failed)} failed, ${grouped(total - ok - error - failed)} open`;
  return (
    <svg class="bar" viewBox="0 0 200 8" preserveAspectRatio="none" role="img" aria-label={label}>
      <title>{label}</title>
      <rect class="bar-open" x="0" y="0" width="200" height="8" />
      <rect class="bar-ok" x="0" y="0" width={okWidth * scale} height="8" />
      <rect class="bar-error" x={okWidth * scale} y="0" width={errorWidth * scale} height="8" />
      <rect
        class="bar-failed"
        x={(okWidth + errorWidth) * scale}
        y="0"
        width={failedWidth * scale}
        height="8"
      />
    </svg>
  );
}
