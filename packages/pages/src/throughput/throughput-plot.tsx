import type { Throughput } from '@macbatch/contract';
import { grouped } from '@macbatch/wording';
import type { Clock } from '../times.tsx';
import { clockTime } from '../times.tsx';

export interface PlotProps {
  /** Unique on its page. */
  readonly id: string;
  readonly throughput: Throughput;
  readonly clock: Clock;
}

/** The items of each series that ended, for each minute, as a curve. The same numbers are in a table below it. */
export function ThroughputPlot({ id, throughput, clock }: PlotProps) {
  const { times, series, step_seconds: step } = throughput;
  const perMinute = (value: number) => (value * 60) / step;
  const total = series.reduce((sum, { ok, error }) => sum + sumOf(ok) + sumOf(error), 0);
  if (total === 0) return <p class="weak">No item ended in this time.</p>;
  const sentence = `${grouped(total)} items ended between ${clockTime(new Date(throughput.from), clock)} and ${clockTime(new Date(throughput.to), clock)}.`;
  return (
    <figure class="plot" id={`plot-${id}`} data-zone={clock.zone}>
      <div class="plot-canvas" id={`canvas-${id}`} role="img" aria-label={sentence} hx-morph-skip="" />
      <figcaption class="note">
        {sentence} Items per minute, times in {clock.zone}.
      </figcaption>
      <details id={`table-${id}`}>
        <summary>The same as a table</summary>
        <section class="scroll" tabindex={0} aria-label="Items per minute">
          <table>
            <thead>
              <tr>
                <th scope="col">Time</th>
                {series.map((each) => (
                  <th scope="col" class="number">
                    {nameOf(each)}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {times.map((time, index) => (
                <tr>
                  <td data-value={String(Date.parse(time) / 1000)}>{clockTime(new Date(time), clock)}</td>
                  {series.map(({ ok, error }) => {
                    const value = perMinute((ok[index] ?? 0) + (error[index] ?? 0));
                    return (
                      <td class="number" data-value={String(value)}>
                        {grouped(Math.round(value))}
                      </td>
                    );
                  })}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      </details>
    </figure>
  );
}

/** The name of a series for people. */
export function nameOf({ key, name }: Throughput['series'][number]): string {
  if (key === null) return 'all others';
  return name ?? (key === '' ? 'items' : key);
}

/** The sum of the counts of all steps. */
export const sumOf = (numbers: readonly number[]) => numbers.reduce((sum, each) => sum + each, 0);
