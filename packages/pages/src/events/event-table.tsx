import type { PoolEvent } from '@macbatch/contract';
import { eventErrorText } from '@macbatch/wording';
import { ExactText } from '../exact-text.tsx';
import { ScrollTable } from '../scroll-table.tsx';
import { type Clock, Exactly } from '../times.tsx';

/** What each kind of event means, in words. */
const MEANING: Readonly<Record<string, string>> = {
  lease_expired: 'lease lost',
  lease_resumed: 'lease taken up again',
  copy_lost: 'copy lost',
  task_error: 'error of a task, it runs again',
  task_failed: 'task failed',
  stale_failure: 'late failure, ignored',
  stale_item_error: 'late error of an item, ignored',
  task_retried: 'retried by a person',
  job_cancelled: 'job cancelled',
};

/** What happened, newest first. */
export function EventTable({
  events,
  clock,
  isOfOneJob = false,
}: {
  readonly events: readonly PoolEvent[];
  readonly clock: Clock;
  readonly isOfOneJob?: boolean;
}) {
  if (events.length === 0) return <p class="weak">No events.</p>;
  return (
    <ScrollTable
      label="Table of events"
      columns={[
        { text: 'Time' },
        { text: 'Event' },
        ...(isOfOneJob ? [] : [{ text: 'Job' }]),
        { text: 'Mac' },
        { text: 'Attempt', kind: 'number' },
        { text: 'Text', kind: 'wide' },
      ]}
    >
      {events.map((event) => (
        <tr id={`event-${event.id}`}>
          <td>
            <Exactly at={event.at} clock={clock} />
          </td>
          <th scope="row">{MEANING[event.kind] ?? event.kind}</th>
          {!isOfOneJob && (
            <td>{event.job === null ? '–' : <a href={`/jobs/${event.job}`}>{event.job.slice(0, 8)}</a>}</td>
          )}
          <td>
            {event.worker === null ? (
              '–'
            ) : (
              <a href={`/macs/${encodeURIComponent(event.worker)}`}>
                <ExactText text={event.worker} />
              </a>
            )}
          </td>
          <td class="number">{event.attempt ?? '–'}</td>
          <td class="wide message">
            <ExactText text={eventErrorText(event.detail).slice(0, 500)} />
          </td>
        </tr>
      ))}
    </ScrollTable>
  );
}
