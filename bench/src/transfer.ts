import { median, medianRatio } from './median.ts';
import { figure, type Line } from './row.ts';

/** One measured upload or download. */
export interface Transfer {
  /** Items per second. */
  readonly rate: number;
  /** Peak memory of the server. */
  readonly peakMb: number;
}

interface Marks {
  readonly floor: number;
  readonly goal: number;
}

/** Compares streamed transfers with transfers of one JSON body: one line for the rate, one for the memory. */
export function compareWithOneBody(
  what: string,
  streamed: readonly Transfer[],
  whole: readonly Transfer[],
  marks: { readonly rate: Marks; readonly peak: Marks },
): Line[] {
  const rates = (transfers: readonly Transfer[]) => transfers.map(({ rate }) => rate);
  const peaks = (transfers: readonly Transfer[]) => transfers.map(({ peakMb }) => peakMb);
  return [
    figure({
      what: `NDJSON, ${what}`,
      value: median(rates(streamed)),
      unit: 'items/s',
      to: 'one JSON body',
      ratio: medianRatio(rates(streamed), rates(whole)),
      ...marks.rate,
    }),
    figure({
      what: 'NDJSON: peak memory of the server',
      value: median(peaks(streamed)),
      unit: 'MB',
      to: 'one JSON body',
      ratio: medianRatio(peaks(streamed), peaks(whole)),
      ...marks.peak,
      better: 'less',
    }),
  ];
}
