import type { JobView } from '@macbatch/contract';
import { grouped, rate } from '@macbatch/wording';
import { ExactText } from '../exact-text.tsx';
import { ScrollTable } from '../scroll-table.tsx';
import { Ago, type Clock } from '../times.tsx';

/** The Macs that worked on a job, with what each did. */
export function JobMacs({ job, clock }: { readonly job: JobView; readonly clock: Clock }) {
  if (job.workers.length === 0) return <p class="weak">No Mac has taken a task yet.</p>;
  return (
    <ScrollTable
      label="Table of Macs of this job"
      columns={[
        { text: 'Mac' },
        { text: 'Items ok', kind: 'number' },
        { text: 'Errors', kind: 'number' },
        { text: 'Items/s', kind: 'number' },
        { text: 'Tasks done', kind: 'number' },
        { text: 'Tasks failed', kind: 'number' },
        { text: 'Last report' },
      ]}
    >
      {job.workers.map((worker) => {
        const seconds = (Date.parse(worker.last_report_at) - Date.parse(worker.first_lease_at)) / 1000;
        return (
          <tr>
            <th scope="row">
              <a href={`/macs/${encodeURIComponent(worker.worker_id)}`}>
                <ExactText text={worker.worker_id} />
              </a>
            </th>
            <td class="number">{grouped(worker.items_ok)}</td>
            <td class="number">{grouped(worker.items_error)}</td>
            <td class="number">
              {rate(seconds > 0 ? (worker.items_ok + worker.items_error) / seconds : Number.NaN)}
            </td>
            <td class="number">{grouped(worker.tasks_done)}</td>
            <td class="number">{grouped(worker.tasks_failed)}</td>
            <td>
              <Ago at={worker.last_report_at} clock={clock} />
            </td>
          </tr>
        );
      })}
    </ScrollTable>
  );
}
