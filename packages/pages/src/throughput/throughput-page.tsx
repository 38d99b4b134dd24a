import { THROUGHPUT_KEYS, type Throughput } from '@macbatch/contract';
import { grouped, rate } from '@macbatch/wording';
import { NoMatch, NothingYet } from '../empty-state.tsx';
import { ExactText } from '../exact-text.tsx';
import type { PageContent } from '../layout.tsx';
import type { PageContext } from '../page-context.ts';
import { ScrollTable } from '../scroll-table.tsx';
import { nameOf, sumOf, ThroughputPlot } from './throughput-plot.tsx';

const HOUR_MS = 3_600_000;
const RANGES = [
  { hours: 1, text: 'the last hour' },
  { hours: 6, text: 'the last 6 hours' },
  { hours: 24, text: 'the last 24 hours' },
  { hours: 168, text: 'the last 7 days' },
] as const;
const BY: Readonly<Record<(typeof THROUGHPUT_KEYS)[number], string>> = {
  worker: 'Mac',
  model: 'model',
  job: 'job',
  none: 'nothing',
};

/** How many items and tokens the pool finished: by Mac, model or job, over up to seven days. */
export async function throughputPage({ client, url, clock }: PageContext): Promise<PageContent> {
  const hours = RANGES.find((range) => String(range.hours) === url.searchParams.get('hours'))?.hours ?? 1;
  const by = THROUGHPUT_KEYS.find((key) => key === url.searchParams.get('by')) ?? 'worker';
  const model = url.searchParams.get('model') ?? '';
  const throughput = await client.call('readThroughput', {
    query: {
      by,
      from: new Date(clock.now.getTime() - hours * HOUR_MS).toISOString(),
      ...(model === '' ? {} : { model }),
    },
  });
  const hasItems = throughput.series.some((each) => [...each.ok, ...each.error].some((count) => count > 0));
  return {
    title: 'Throughput',
    summary: null,
    topics: ['jobs'],
    body: (
      <>
        <h1>Throughput</h1>
        <search aria-label="Choose what to show">
          <form class="filters" method="get" action="/throughput">
            <label>
              Time
              <select name="hours">
                {RANGES.map((range) => (
                  <option value={String(range.hours)} selected={range.hours === hours}>
                    {range.text}
                  </option>
                ))}
              </select>
            </label>
            <label>
              By
              <select name="by">
                {THROUGHPUT_KEYS.map((key) => (
                  <option value={key} selected={key === by}>
                    {BY[key]}
                  </option>
                ))}
              </select>
            </label>
            <label>
              Model
              <input id="find" name="model" value={model} maxlength={200} />
            </label>
            <button type="submit">Show</button>
          </form>
        </search>
        {hasItems ? (
          <>
            <ThroughputPlot id={`throughput-${by}`} throughput={throughput} clock={clock} />
            <Totals throughput={throughput} heading={BY[by]} />
          </>
        ) : model === '' ? (
          <NothingYet title="No item ended in this time">
            <p>Counts are kept for seven days.</p>
          </NothingYet>
        ) : (
          <NoMatch what="items" clear="/throughput" />
        )}
      </>
    ),
  };
}

function Totals({ throughput, heading }: { readonly throughput: Throughput; readonly heading: string }) {
  const seconds = (Date.parse(throughput.to) - Date.parse(throughput.from)) / 1000;
  return (
    <section>
      <h2>Together</h2>
      <ScrollTable
        label="Table of totals"
        columns={[
          { text: heading === 'nothing' ? 'Series' : heading },
          { text: 'Items ok', kind: 'number' },
          { text: 'Errors', kind: 'number' },
          { text: 'Items/s', kind: 'number' },
          { text: 'Tokens read', kind: 'number' },
          { text: 'Tokens written', kind: 'number' },
          { text: 'Lost leases', kind: 'number' },
        ]}
      >
        {throughput.series.map((each) => {
          const ok = sumOf(each.ok);
          const error = sumOf(each.error);
          return (
            <tr>
              <th scope="row">
                <ExactText text={nameOf(each)} />
              </th>
              <td class="number">{grouped(ok)}</td>
              <td class="number">{grouped(error)}</td>
              <td class="number">{rate((ok + error) / seconds)}</td>
              <td class="number">{grouped(sumOf(each.input_tokens))}</td>
              <td class="number">{grouped(sumOf(each.output_tokens))}</td>
              <td class="number">{grouped(sumOf(each.leases_expired))}</td>
            </tr>
          );
        })}
      </ScrollTable>
    </section>
  );
}
