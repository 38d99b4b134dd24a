import { EVENT_KINDS } from '@macbatch/contract';
import { NoMatch, NothingYet } from '../empty-state.tsx';
import type { PageContent } from '../layout.tsx';
import { type PageContext, withQuery } from '../page-context.ts';
import { EventTable } from './event-table.tsx';

const FILTERS = ['job', 'worker', 'kind'] as const;

/** What happened to jobs and tasks in the pool, newest first. */
export async function eventsPage({ client, url, clock }: PageContext): Promise<PageContent> {
  const filter = Object.fromEntries(
    [...FILTERS, 'before']
      .map((name) => [name, url.searchParams.get(name) ?? ''] as const)
      .filter(([, value]) => value !== ''),
  );
  const { events, next } = await client.call('listEvents', { query: { limit: '100', ...filter } });
  const value = (name: string) => url.searchParams.get(name) ?? '';
  return {
    title: 'Events',
    summary: null,
    topics: ['events'],
    body: (
      <>
        <h1>Events</h1>
        <search aria-label="Filter events">
          <form class="filters" method="get" action="/events">
            <label>
              Job id
              <input id="find" name="job" type="search" value={value('job')} size={36} />
            </label>
            <label>
              Mac
              <input name="worker" value={value('worker')} maxlength={200} />
            </label>
            <label>
              Kind
              <select name="kind">
                <option value="">any</option>
                {EVENT_KINDS.map((kind) => (
                  <option value={kind} selected={kind === value('kind')}>
                    {kind}
                  </option>
                ))}
              </select>
            </label>
            <button type="submit">Filter</button>
          </form>
        </search>
        {events.length > 0 ? (
          <EventTable events={events} clock={clock} />
        ) : Object.keys(filter).length > 0 ? (
          <NoMatch what="events" clear="/events" />
        ) : (
          <NothingYet title="No event yet">
            <p>Lost leases, failed tasks, retries and cancellations will be listed here.</p>
          </NothingYet>
        )}
        <nav class="pager" aria-label="Pages of events">
          {url.searchParams.has('before') && <a href={withQuery(url, { before: null })}>Newest</a>}
          {next !== null && <a href={withQuery(url, { before: next })}>Older events</a>}
        </nav>
      </>
    ),
  };
}
