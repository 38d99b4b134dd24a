import type { JobView, RouteReply } from '@macbatch/contract';
import { counted, grouped } from '@macbatch/wording';
import { ExactText } from '../exact-text.tsx';
import { ScrollTable } from '../scroll-table.tsx';

/** The failures of a job by kind, the largest first, each with what can be done about it. */
export function FailureGroups({
  job,
  failures,
  mayRetry,
}: {
  readonly job: JobView;
  readonly failures: RouteReply<'listFailures'>;
  readonly mayRetry: boolean;
}) {
  const bad = job.items.error + job.items.failed;
  return (
    <section id="failures">
      <h2>Failures</h2>
      {bad === 0 ? (
        <p class="weak">No item has failed.</p>
      ) : (
        <ScrollTable
          label="Table of failures"
          columns={[
            { text: 'Items', kind: 'number' },
            { text: 'Error' },
            { text: 'Message of an example', kind: 'wide' },
            { text: 'Example' },
            { text: 'Actions', kind: 'actions' },
          ]}
        >
          {failures.groups.map((group) => (
            <tr id={`failure-${group.id}`}>
              <td class="number">
                <a href={`/jobs/${job.id}/items?failure=${group.id}`}>{grouped(group.count)}</a>
              </td>
              <th scope="row">
                <code>{group.code}</code>
              </th>
              <td class="wide message">
                <ExactText text={group.message.slice(0, 500)} />
              </td>
              <td>
                <a href={`/jobs/${job.id}/items?q=${encodeURIComponent(group.example_id)}`}>
                  <ExactText text={group.example_id.slice(0, 60)} />
                </a>
              </td>
              <td>
                {mayRetry && job.state !== 'cancelled' && (
                  <a class="button" href={`/jobs/${job.id}/retry?failure=${group.id}`}>
                    Retry {counted(group.count, 'item')}…
                  </a>
                )}
              </td>
            </tr>
          ))}
        </ScrollTable>
      )}
      {failures.others > 0 && (
        <p class="note">{counted(failures.others, 'failure')} more in other groups are not in this list.</p>
      )}
    </section>
  );
}
