import type { ListedItem } from '@macbatch/contract';
import { ITEM_STATES } from '@macbatch/core';
import { counted } from '@macbatch/wording';
import { Badge } from '../badge.tsx';
import { bytesText } from '../bytes-text.ts';
import { NoMatch } from '../empty-state.tsx';
import { ExactText } from '../exact-text.tsx';
import { jobName } from '../jobs/job-name.tsx';
import type { PageContent } from '../layout.tsx';
import { type PageContext, withQuery } from '../page-context.ts';
import { pathParam } from '../path-param.ts';
import { ScrollTable } from '../scroll-table.tsx';
import { Ago, type Clock } from '../times.tsx';

const FILTERS = ['state', 'failure', 'q'] as const;
const ITEMS_PER_PAGE = '100';

/** The items of a job in the order of submission, without their texts. */
export async function itemsPage(
  { client, url, clock }: PageContext,
  params: Readonly<Record<string, string>>,
): Promise<PageContent> {
  const id = pathParam(params, 'id');
  const filter = Object.fromEntries(
    FILTERS.map((name) => [name, url.searchParams.get(name) ?? ''] as const).filter(
      ([, value]) => value !== '',
    ),
  );
  const after = url.searchParams.get('after');
  const [job, { items, next }] = await Promise.all([
    client.call('readJob', { params: { id } }),
    client.call('listItems', {
      params: { id },
      query: { limit: ITEMS_PER_PAGE, ...filter, ...(after === null ? {} : { after }) },
    }),
  ]);
  const path = `/jobs/${id}/items`;
  return {
    title: `Items of ${jobName(job)}`,
    summary: null,
    topics: [`job:${id}`],
    body: (
      <>
        <p class="crumbs">
          <a href="/">Jobs</a> ›{' '}
          <a href={`/jobs/${id}`}>
            <ExactText text={jobName(job)} />
          </a>
        </p>
        <div class="heading">
          <h1>Items</h1>
          <p class="pool">{counted(job.items.total, 'item')}</p>
        </div>
        <search aria-label="Filter items">
          <form class="filters" method="get" action={path}>
            <label>
              Id begins with
              <input id="find" name="q" type="search" value={url.searchParams.get('q') ?? ''} />
            </label>
            <label>
              State
              <select name="state">
                <option value="">any</option>
                {ITEM_STATES.map((state) => (
                  <option value={state} selected={state === url.searchParams.get('state')}>
                    {state}
                  </option>
                ))}
              </select>
            </label>
            <label>
              Failure group
              <input name="failure" value={url.searchParams.get('failure') ?? ''} maxlength={8} size={10} />
            </label>
            <button type="submit">Filter</button>
          </form>
        </search>
        {items.length > 0 ? (
          <ItemTable jobId={id} items={items} clock={clock} />
        ) : next === null ? (
          <NoMatch what="items" clear={path} />
        ) : (
          <p class="weak">No item of this part of the job matches. There is more to search.</p>
        )}
        <nav class="pager" aria-label="Pages of items">
          {after !== null && <a href={withQuery(url, { after: null })}>First</a>}
          {next !== null && <a href={withQuery(url, { after: String(next) })}>Next items</a>}
        </nav>
      </>
    ),
  };
}

function ItemTable({
  jobId,
  items,
  clock,
}: {
  readonly jobId: string;
  readonly items: readonly ListedItem[];
  readonly clock: Clock;
}) {
  return (
    <ScrollTable
      label="Table of items"
      columns={[
        { text: '#', kind: 'number' },
        { text: 'Id' },
        { text: 'State' },
        { text: 'Error', kind: 'wide' },
        { text: 'Mac' },
        { text: 'Attempt', kind: 'number' },
        { text: 'Input', kind: 'number' },
        { text: 'Output', kind: 'number' },
        { text: 'Ended' },
      ]}
    >
      {items.map((item) => (
        <tr id={`item-${item.seq}`}>
          <td class="number">{item.seq + 1}</td>
          <th scope="row">
            <a href={`/jobs/${jobId}/items/${item.seq}`}>
              <ExactText text={item.id.slice(0, 120)} />
            </a>
          </th>
          <td>
            <Badge state={item.state} />
          </td>
          <td class="wide message">
            {item.error_code !== null && (
              <>
                <code>
                  <ExactText text={item.error_code} />
                </code>{' '}
                <ExactText text={(item.error_message ?? '').slice(0, 300)} />
              </>
            )}
            {item.reused && <span class="sub">from an equal item</span>}
          </td>
          <td>
            {item.worker === null ? (
              '–'
            ) : (
              <a href={`/macs/${encodeURIComponent(item.worker)}`}>
                <ExactText text={item.worker} />
              </a>
            )}
          </td>
          <td class="number">{item.attempt ?? '–'}</td>
          <td class="number">{bytesText(item.input_bytes)}</td>
          <td class="number">{item.output_bytes === null ? '–' : bytesText(item.output_bytes)}</td>
          <td>
            <Ago at={item.finished_at} clock={clock} />
          </td>
        </tr>
      ))}
    </ScrollTable>
  );
}
