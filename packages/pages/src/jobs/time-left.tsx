import type { RouteReply } from '@macbatch/contract';
import { duration } from '@macbatch/wording';
import { type Clock, clockRange } from '../times.tsx';

type Job = Pick<RouteReply<'listJobs'>['jobs'][number], 'estimate' | 'waits_for'>;

const WAITS: Readonly<Record<string, string>> = {
  waiting_for_worker: 'no Mac can run it',
  behind_other_jobs: 'behind other jobs',
};

/** How long a job still takes, as a range, with the times of day; or why that is not known. */
export function TimeLeft({ job, clock }: { readonly job: Job; readonly clock: Clock }) {
  const { estimate, waits_for: wait } = job;
  if (estimate === null) return <span class="weak">{(wait !== null && WAITS[wait]) || '–'}</span>;
  const low = duration(estimate.low_seconds);
  const high = duration(estimate.high_seconds);
  return (
    <span class="time-left">
      {low === high ? low : `${low} – ${high}`}
      <span class="sub">{clockRange(new Date(estimate.low_at), new Date(estimate.high_at), clock)}</span>
    </span>
  );
}
