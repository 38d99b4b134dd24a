import type { WorkerView } from '@macbatch/contract';
import { counted, grouped, rate, whyIdle, workerState } from '@macbatch/wording';
import { Badge } from '../badge.tsx';
import { NothingYet } from '../empty-state.tsx';
import { ExactText } from '../exact-text.tsx';
import type { PageContent } from '../layout.tsx';
import { mayAdminister, type PageContext } from '../page-context.ts';
import { ScrollTable } from '../scroll-table.tsx';
import { Ago, type Clock } from '../times.tsx';
import { PauseText } from './pause-text.tsx';

/** Every Mac of the pool, with what it runs or why it does not. */
export async function macsPage(context: PageContext): Promise<PageContent> {
  const { workers } = await context.client.call('listWorkers', {});
  const alive = workers.filter((worker) => worker.alive && !worker.offline);
  const working = alive.filter(({ state }) => state === 'working');
  const summary = `${working.length} of ${counted(alive.length, 'Mac')} working`;
  return {
    title: 'Macs',
    summary,
    topics: ['workers'],
    body: (
      <>
        <div class="heading">
          <h1>Macs</h1>
          <p class="pool">{summary}</p>
          {mayAdminister(context) && (
            <p class="buttons">
              <a class="button" href="/admin/invite">
                Invite a Mac…
              </a>
            </p>
          )}
        </div>
        {workers.length === 0 ? (
          <NothingYet
            title="No Mac has joined yet"
            command={`macbatch worker join ${context.url.origin} --token TOKEN`}
          >
            <p>On a Mac with a model server, with a token from “Invite a Mac”:</p>
          </NothingYet>
        ) : (
          <MacTable workers={workers} clock={context.clock} />
        )}
      </>
    ),
  };
}

function MacTable({ workers, clock }: { readonly workers: readonly WorkerView[]; readonly clock: Clock }) {
  return (
    <ScrollTable
      label="Table of Macs"
      columns={[
        { text: 'Mac' },
        { text: 'State' },
        { text: 'Reason', kind: 'wide' },
        { text: 'Runs' },
        { text: 'Items/s', kind: 'number' },
        { text: 'Tasks held', kind: 'number' },
        { text: 'Tasks done', kind: 'number' },
        { text: 'Failed', kind: 'number' },
        { text: 'Last heartbeat' },
      ]}
    >
      {workers.map((worker) => (
        <tr id={`mac-${encodeURIComponent(worker.worker_id)}`}>
          <th scope="row">
            <a href={`/macs/${encodeURIComponent(worker.worker_id)}`}>
              <ExactText text={worker.worker_id} />
            </a>
            {worker.hostname !== worker.worker_id && (
              <span class="sub">
                <ExactText text={worker.hostname} />
              </span>
            )}
          </th>
          <td>
            <Badge state={workerState(worker)} />
          </td>
          <td class="wide message">
            {worker.pause !== null && <PauseText pause={worker.pause} clock={clock} />}{' '}
            <ExactText text={whyIdle(worker)} />
          </td>
          <td>
            <ExactText text={modelsOf(worker)} />
          </td>
          <td class="number">{rate(speedOf(worker))}</td>
          <td class="number">{grouped(worker.tasks_leased)}</td>
          <td class="number">{grouped(worker.tasks_done)}</td>
          <td class="number">{grouped(worker.tasks_failed)}</td>
          <td>
            <Ago at={worker.last_heartbeat_at} clock={clock} />
          </td>
        </tr>
      ))}
    </ScrollTable>
  );
}

const modelsOf = ({ running, last_ran: last }: WorkerView) =>
  running.length > 0
    ? [...new Set(running.map(({ model }) => model))].join(', ')
    : last === null
      ? '–'
      : `last ${last.model}`;

/** The rate that a worker reports for what it runs, in items a second. NaN if it runs nothing. */
function speedOf({ running, rates }: WorkerView): number {
  if (running.length === 0) return Number.NaN;
  return running.reduce((sum, { job_type, model }) => {
    const known = rates.find((each) => each.job_type === job_type && each.model === model);
    return sum + (known?.items_per_second ?? 0);
  }, 0);
}
