import type { RouteReply } from '@macbatch/contract';
import { counted } from '@macbatch/wording';
import { ExactText } from '../exact-text.tsx';

type Job = RouteReply<'listJobs'>['jobs'][number];

/** What needs a person: open items that no Mac can run, by model. */
export function JobAttention({ jobs }: { readonly jobs: readonly Job[] }) {
  const waiting = jobs.filter((job) => job.waits_for === 'waiting_for_worker');
  const byWork = Object.groupBy(waiting, ({ job_type, model }) => JSON.stringify([job_type, model]));
  return (
    <>
      {Object.values(byWork).map((same = []) => {
        const [first] = same;
        if (first === undefined) return null;
        const items = same.reduce((sum, job) => sum + job.items.open, 0);
        return (
          <p class="attention">
            {counted(items, 'item')} of {counted(same.length, 'job')} {items === 1 ? 'waits' : 'wait'} for{' '}
            {first.job_type} with <ExactText text={first.model} />: no Mac that answers can run it.{' '}
            <a href="/macs">See the Macs</a>
          </p>
        );
      })}
    </>
  );
}
