import type { ItemView } from '@macbatch/contract';
import { Badge } from '../badge.tsx';
import { bytesText } from '../bytes-text.ts';
import { Command } from '../empty-state.tsx';
import { ExactText, TextBlock } from '../exact-text.tsx';
import { jobName } from '../jobs/job-name.tsx';
import type { PageContent } from '../layout.tsx';
import type { PageContext } from '../page-context.ts';
import { pathParam } from '../path-param.ts';
import { ScrollTable } from '../scroll-table.tsx';
import { type Clock, Exactly } from '../times.tsx';

/** One item: what went in and what came out, side by side, and every attempt. */
export async function itemPage(
  { client, clock }: PageContext,
  params: Readonly<Record<string, string>>,
): Promise<PageContent> {
  const id = pathParam(params, 'id');
  const seq = pathParam(params, 'seq');
  const [job, item] = await Promise.all([
    client.call('readJob', { params: { id } }),
    client.call('readItem', { params: { id }, query: { seq } }),
  ]);
  const path = `/jobs/${id}/items/${item.seq}`;
  return {
    title: `Item ${item.seq + 1} of ${jobName(job)}`,
    summary: `the item is ${item.state}`,
    topics: item.state === 'open' ? [`job:${id}`] : [],
    body: (
      <>
        <p class="crumbs">
          <a href="/">Jobs</a> ›{' '}
          <a href={`/jobs/${id}`}>
            <ExactText text={jobName(job)} />
          </a>{' '}
          › <a href={`/jobs/${id}/items?after=${item.seq - 1}`}>Items</a>
        </p>
        <div class="heading">
          <h1>
            <ExactText text={item.id} /> <Badge state={item.state} />
          </h1>
          <nav class="buttons" aria-label="Neighbours">
            {item.seq > 0 && (
              <a class="button quiet" href={`/jobs/${id}/items/${item.seq - 1}`}>
                Previous
              </a>
            )}
            {item.seq + 1 < job.items.total && (
              <a class="button quiet" href={`/jobs/${id}/items/${item.seq + 1}`}>
                Next
              </a>
            )}
          </nav>
        </div>
        <div class="sides">
          <section>
            <h2>Input ({bytesText(item.input_bytes)})</h2>
            <TextBlock text={item.input} whole={`${path}/input.json`} />
          </section>
          <section>
            <h2>{item.error === null ? 'Output' : 'Error'}</h2>
            <Outcome item={item} path={path} />
          </section>
        </div>
        <section>
          <h2>Outcome</h2>
          <Facts item={item} clock={clock} />
        </section>
        <section>
          <h2>Leases of its task</h2>
          <Attempts item={item} clock={clock} />
        </section>
        <section>
          <h2>Parameters of the job</h2>
          <TextBlock text={item.params} whole={`${path}/params.json`} />
        </section>
        <section>
          <h2>On the command line</h2>
          <Command text={`macbatch item ${id} --seq ${item.seq}`} />
        </section>
      </>
    ),
  };
}

function Outcome({ item, path }: { readonly item: ItemView; readonly path: string }) {
  const text = item.error ?? item.output;
  if (text === null) return <p class="weak">There is no outcome yet.</p>;
  return <TextBlock text={text} whole={`${path}/${item.error === null ? 'output' : 'error'}.json`} />;
}

function Facts({ item, clock }: { readonly item: ItemView; readonly clock: Clock }) {
  return (
    <dl class="details">
      <dt>Position</dt>
      <dd>{item.seq + 1}</dd>
      <dt>Mac</dt>
      <dd>
        {item.worker === null ? (
          '–'
        ) : (
          <a href={`/macs/${encodeURIComponent(item.worker)}`}>
            <ExactText text={item.worker} />
          </a>
        )}
      </dd>
      <dt>Attempt</dt>
      <dd>{item.attempt ?? '–'}</dd>
      <dt>Model that ran</dt>
      <dd>
        {item.model === null ? '–' : <ExactText text={item.model} />}{' '}
        {item.model_digest !== null && (
          <code>
            <ExactText text={item.model_digest} />
          </code>
        )}
      </dd>
      <dt>Counted by the server</dt>
      <dd>{item.usage === null ? '–' : <ExactText text={item.usage} />}</dd>
      <dt>Leased</dt>
      <dd>
        <Exactly at={item.leased_at} clock={clock} />
      </dd>
      <dt>Ended</dt>
      <dd>
        <Exactly at={item.finished_at} clock={clock} />
        {item.reused && ' (the outcome of an equal item)'}
      </dd>
    </dl>
  );
}

function Attempts({ item, clock }: { readonly item: ItemView; readonly clock: Clock }) {
  if (item.attempts.length === 0) return <p class="weak">No Mac has taken it yet.</p>;
  return (
    <ScrollTable
      label="Table of leases"
      columns={[{ text: 'Attempt', kind: 'number' }, { text: 'Mac' }, { text: 'Leased' }, { text: 'State' }]}
    >
      {item.attempts.map(({ attempt, worker, leased_at, current }) => (
        <tr>
          <td class="number">{attempt}</td>
          <th scope="row">
            <ExactText text={worker} />
          </th>
          <td>
            <Exactly at={leased_at} clock={clock} />
          </td>
          <td>{current ? 'held now' : 'over'}</td>
        </tr>
      ))}
    </ScrollTable>
  );
}
