import type { JobExplanation } from '@macbatch/contract';
import { clockRange, clockTime } from './clock-time.ts';
import { printable } from './printable.ts';
import { stateText } from './summary.ts';
import { duration, rate } from './table.ts';

/** What a job waits for and when it should end, in sentences. */
export function explanationText(told: JobExplanation): string {
  return [progress(told), waiting(told), absent(told), expected(told), paces(told)]
    .filter((sentence) => sentence !== null)
    .map(printable)
    .join('\n');
}

/** The range in which a job should end, as clock times; null where nothing can be said. */
export function endsText({ at, estimate }: JobExplanation): string | null {
  if (estimate === null) return null;
  return `ends ${clockRange(new Date(estimate.low_at), new Date(estimate.high_at), new Date(at))}`;
}

function progress({ job }: JobExplanation): string {
  const { ok, error, failed, open, total } = job.items;
  const bad = error + failed > 0 ? `, ${number(error + failed)} of them without a good outcome` : '';
  const left = open > 0 ? `; ${number(open)} are left` : '';
  return `Job ${job.id} is ${stateText(job)}: ${number(ok + error + failed)} of ${count(total, 'item')} have ended${bad}${left}.`;
}

function waiting({ waits_for: code, job, workers, busy_workers: busy, ...told }: JobExplanation): string {
  const kind = `${job.job_type} with ${job.model}`;
  const { held, before } = told;
  const since =
    held.oldest_lease_seconds === null ? '' : `, the oldest for ${duration(held.oldest_lease_seconds)}`;
  const others = `${count(before.jobs, 'job')} with ${count(before.items, 'item')} left`;
  switch (code) {
    case 'finished':
      return 'Nothing of it is left to run.';
    case 'cancelled':
      return 'It was cancelled: nothing more of it is run.';
    case 'waiting_for_worker':
      return `It waits for a worker: none that is alive offers ${kind}. ${instead(job.job_type, told.offered_models)}`;
    case 'running':
      return `It runs: ${count(held.workers, 'worker')} ${held.workers === 1 ? 'holds' : 'hold'} ${count(held.tasks, 'task')} of it${since}.${
        before.jobs > 0 ? ` Before the rest of it its workers take ${others}.` : ''
      }`;
    case 'all_leased':
      return `All that is left of it is held: ${count(held.tasks, 'task')} by ${count(held.workers, 'worker')}${since}.`;
    case 'only_slow_holder':
      return `It waits for one worker, which holds all that is left of it, ${count(held.tasks, 'task')}${since}, while others have nothing to do.`;
    case 'behind_other_jobs':
      return `It waits for jobs that are served first: its ${count(workers, 'worker')} will take ${others} before it.`;
    case 'next_in_line':
      if (busy < workers)
        return `It is next: the first of its ${count(workers, 'worker')} that asks takes it.`;
      return workers === 1
        ? 'It is next: its worker finishes what it holds.'
        : `It is next: its ${number(workers)} workers finish what they hold.`;
  }
}

function instead(jobType: string, models: readonly string[]): string {
  if (models.length === 0) return `None does ${jobType} at all.`;
  return `For ${jobType} they offer ${models.join(', ')}.`;
}

function absent({ held }: JobExplanation): string | null {
  if (held.absent_workers === 0 || held.absent_lease_seconds === null) return null;
  const who = `${count(held.absent_workers, 'worker')} that ${held.absent_workers === 1 ? 'holds' : 'hold'} some of it`;
  const silent = `${who} ${held.absent_workers === 1 ? 'is' : 'are'} silent`;
  return `${silent}: unless heard of before, the tasks go to others in ${duration(held.absent_lease_seconds)}.`;
}

function expected({ at, estimate, no_estimate: gap }: JobExplanation): string | null {
  if (estimate !== null) {
    const now = new Date(at);
    const range = clockRange(new Date(estimate.low_at), new Date(estimate.high_at), now);
    return `It should end at about ${clockTime(new Date(estimate.likely_at), now)}, in ${duration(estimate.likely_seconds)}; the range is ${range}, ${duration(estimate.low_seconds)} to ${duration(estimate.high_seconds)}.`;
  }
  switch (gap) {
    case 'no_worker':
      return 'When it ends can’t be said while no worker can do it.';
    case 'nothing_measured':
      return 'When it ends can’t be said yet: nobody has measured how long it takes, or a job before it.';
    default:
      return null;
  }
}

function paces({ pace, estimate, workers }: JobExplanation): string | null {
  if (estimate === null || workers === 0) return null;
  const able = `${count(workers, 'worker')} can do it`;
  const told = pace.told > 0 ? `, ${rate(pace.told)} items/s together` : '';
  const measured = pace.measured > 0 ? ` In the last minutes it got ${rate(pace.measured)} items/s.` : '';
  return `${able}${told}.${measured}`;
}

function number(value: number): string {
  return value.toLocaleString('en');
}

function count(value: number, noun: string): string {
  return `${number(value)} ${noun}${value === 1 ? '' : 's'}`;
}
