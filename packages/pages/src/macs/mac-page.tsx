import { ApiError } from '@macbatch/client';
import type { BootView, WorkerView } from '@macbatch/contract';
import { duration, grouped, rate, whyIdle, workerState } from '@macbatch/wording';
import { Badge } from '../badge.tsx';
import { Command } from '../empty-state.tsx';
import { EventTable } from '../events/event-table.tsx';
import { ExactText } from '../exact-text.tsx';
import type { PageContent } from '../layout.tsx';
import { mayAdminister, type PageContext } from '../page-context.ts';
import { pathParam } from '../path-param.ts';
import { problemPage } from '../problem-page.tsx';
import { ScrollTable } from '../scroll-table.tsx';
import { Ago, type Clock, Exactly } from '../times.tsx';
import { PauseText } from './pause-text.tsx';
import { Troubles } from './troubles.tsx';

/** One Mac: what it runs, what it offers, what it lost, and when it started. */
export async function macPage(
  context: PageContext,
  params: Readonly<Record<string, string>>,
): Promise<PageContent> {
  const { client, clock } = context;
  const id = pathParam(params, 'id');
  const [{ workers }, { events }, boots] = await Promise.all([
    client.call('listWorkers', {}),
    client.call('listEvents', { query: { worker: id, limit: '20' } }),
    bootsOf(context, id),
  ]);
  const worker = workers.find(({ worker_id }) => worker_id === id);
  if (worker === undefined)
    return problemPage('Unknown Mac', 'No Mac of this name has sent a heartbeat. It may have been removed.');
  return {
    title: worker.worker_id,
    summary: `${worker.worker_id} is ${workerState(worker)}`,
    topics: ['workers'],
    body: (
      <>
        <p class="crumbs">
          <a href="/macs">Macs</a>
        </p>
        <div class="heading">
          <h1>
            <ExactText text={worker.worker_id} /> <Badge state={workerState(worker)} />
          </h1>
          {mayAdminister(context) && (
            <p class="buttons">
              {/* Only the Mac itself ends a pause of its own. */}
              {worker.pause === null || worker.pause.rule !== null ? (
                <a class="button quiet" href={`/macs/${encodeURIComponent(id)}/pause`}>
                  Pause…
                </a>
              ) : (
                <a class="button" href={`/macs/${encodeURIComponent(id)}/resume`}>
                  Resume…
                </a>
              )}
            </p>
          )}
        </div>
        {worker.pause !== null && (
          <p class="reason">
            <PauseText pause={worker.pause} clock={clock} />
          </p>
        )}
        {whyIdle(worker) !== '' && (
          <p class="reason">
            <ExactText text={whyIdle(worker)} />
          </p>
        )}
        <Troubles troubles={worker.troubles} />
        <section>
          <h2>Now</h2>
          <Now worker={worker} clock={clock} />
        </section>
        <section>
          <h2>Offers</h2>
          <Offers worker={worker} />
        </section>
        <section>
          <h2>Events</h2>
          <EventTable events={events} clock={clock} />
          <p>
            <a href={`/events?worker=${encodeURIComponent(id)}`}>All events of this Mac</a>
          </p>
        </section>
        {boots !== null && (
          <section>
            <h2>Starts</h2>
            <Boots boots={boots} clock={clock} />
          </section>
        )}
        <section>
          <h2>On the command line</h2>
          <Command text={`macbatch worker pause ${worker.worker_id} --until 2h`} />
        </section>
      </>
    ),
  };
}

/** Only an admin may list boots. */
async function bootsOf(context: PageContext, name: string): Promise<readonly BootView[] | null> {
  if (!mayAdminister(context)) return null;
  try {
    return (await context.client.call('listBoots', { query: { name, limit: '20' } })).boots;
  } catch (error) {
    if (error instanceof ApiError && error.status === 403) return null;
    throw error;
  }
}

function Now({ worker, clock }: { readonly worker: WorkerView; readonly clock: Clock }) {
  return (
    <dl class="details">
      <dt>Runs</dt>
      <dd>
        {worker.running.length === 0
          ? 'nothing'
          : worker.running.map(({ job_type, model, tasks }) => (
              <span class="line">
                {job_type} with <ExactText text={model} /> ({tasks} tasks)
              </span>
            ))}
      </dd>
      <dt>Oldest lease</dt>
      <dd>{duration(worker.oldest_lease_seconds ?? Number.NaN)}</dd>
      <dt>Runs at once</dt>
      <dd>
        {worker.concurrency} items; it asks for at most {worker.lease_limit} tasks at a time
      </dd>
      <dt>Tasks</dt>
      <dd>
        {grouped(worker.tasks_done)} done, {grouped(worker.tasks_failed)} failed
      </dd>
      <dt>Host</dt>
      <dd>
        <ExactText text={worker.hostname} />
      </dd>
      <dt>Last heartbeat</dt>
      <dd>
        <Exactly at={worker.last_heartbeat_at} clock={clock} /> (
        <Ago at={worker.last_heartbeat_at} clock={clock} />)
      </dd>
      <dt>First seen</dt>
      <dd>
        <Exactly at={worker.first_seen_at} clock={clock} />
      </dd>
    </dl>
  );
}

function Offers({ worker }: { readonly worker: WorkerView }) {
  if (worker.models.length === 0) return <p class="weak">It offers no model. Is its model server running?</p>;
  return (
    <ScrollTable
      label="Table of models"
      columns={[
        { text: 'Model' },
        { text: 'Measured' },
        { text: 'Items/s', kind: 'number' },
        { text: 'In memory' },
      ]}
    >
      {worker.models.flatMap((model) => {
        const rates = worker.rates.filter((each) => each.model === model);
        const rows = rates.length === 0 ? [null] : rates;
        return rows.map((known) => (
          <tr>
            <th scope="row">
              <ExactText text={model} />
            </th>
            <td>{known?.job_type ?? 'not yet'}</td>
            <td class="number">{rate(known?.items_per_second ?? Number.NaN)}</td>
            <td>{known === null ? '–' : known.loaded ? 'yes' : 'no'}</td>
          </tr>
        ));
      })}
    </ScrollTable>
  );
}

function Boots({ boots, clock }: { readonly boots: readonly BootView[]; readonly clock: Clock }) {
  if (boots.length === 0) return <p class="weak">None is recorded.</p>;
  return (
    <ScrollTable
      label="Table of starts"
      columns={[{ text: 'Started' }, { text: 'Kind' }, { text: 'Host' }, { text: 'Process', kind: 'number' }]}
    >
      {boots.map((boot) => (
        <tr>
          <th scope="row">
            <Exactly at={boot.started_at} clock={clock} />
          </th>
          <td>{boot.verdict}</td>
          <td>
            <ExactText text={boot.hostname} />
          </td>
          <td class="number">{boot.pid}</td>
        </tr>
      ))}
    </ScrollTable>
  );
}
