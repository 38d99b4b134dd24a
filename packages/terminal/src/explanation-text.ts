import type { JobExplanation, TroubleView } from '@macbatch/contract';
import { clockRange, clockTime } from './clock-time.ts';
import { printable } from './printable.ts';
import { stateText } from './summary.ts';
import { duration, rate } from './table.ts';
import { troubleText } from './trouble-text.ts';

/** Says in sentences what a job waits for and when it should end. */
export function explanationText(explanation: JobExplanation): string {
  return [
    progress(explanation),
    waiting(explanation),
    paused(explanation),
    ...troubles(explanation),
    silentHolders(explanation),
    expectedEnd(explanation),
    rates(explanation),
  ]
    .filter((sentence) => sentence !== null)
    .map(printable)
    .join('\n');
}

/** Formats the range of a job's expected end, or returns null if there is no estimate. */
export function endsText({ at, estimate }: JobExplanation): string | null {
  if (estimate === null) return null;
  return `ends ${clockRange(new Date(estimate.low_at), new Date(estimate.high_at), new Date(at))}`;
}

function progress({ job }: JobExplanation): string {
  const { ok, error, failed, open, total } = job.items;
  const bad = error + failed > 0 ? `, ${number(error + failed)} of them with an error` : '';
  const left = open > 0 ? `; ${number(open)} are left` : '';
  return `Job ${job.id} is ${stateText(job)}: ${number(ok + error + failed)} of ${count(total, 'item')} have ended${bad}${left}.`;
}

function waiting({ waits_for: code, job, workers, busy_workers: busy, ...rest }: JobExplanation): string {
  const kind = `${job.job_type} with ${job.model}`;
  const { held, before } = rest;
  const since =
    held.oldest_lease_seconds === null ? '' : `, the oldest for ${duration(held.oldest_lease_seconds)}`;
  const others = `${count(before.jobs, 'job')} with ${count(before.items, 'item')} left`;
  switch (code) {
    case 'finished':
      return 'No item is left to run.';
    case 'cancelled':
      return 'It was cancelled: no more items run.';
    case 'waiting_for_worker':
      return rest.troubles.length > 0
        ? `It waits for a model server: no worker can run ${kind} now.`
        : rest.paused_workers > 0
          ? `It waits for a worker: all that offer ${kind} are paused.`
          : `It waits for a worker: no worker that is alive offers ${kind}. ${otherModels(job.job_type, rest.offered_models)}`;
    case 'running':
      return `It runs: ${count(held.workers, 'worker')} ${held.workers === 1 ? 'holds' : 'hold'} ${count(held.tasks, 'task')}${since}.${
        before.jobs > 0 ? ` Its workers take ${others} before the rest of this one.` : ''
      }`;
    case 'all_leased':
      return `Workers hold all of its remaining tasks: ${count(held.tasks, 'task')} on ${count(held.workers, 'worker')}${since}.`;
    case 'only_slow_holder':
      return `It waits for one worker, which holds its last ${count(held.tasks, 'task')}${since}, while other workers are idle.`;
    case 'behind_other_jobs':
      return `It waits for other jobs: its ${count(workers, 'worker')} will take ${others} first.`;
    case 'next_in_line':
      if (busy < workers) return `It is next: one of its ${count(workers, 'worker')} will take it.`;
      return workers === 1
        ? 'It is next, when its worker has finished the tasks it holds.'
        : `It is next, when its ${number(workers)} workers have finished the tasks they hold.`;
  }
}

function paused({ paused_workers: pausedWorkers, job }: JobExplanation): string | null {
  if (pausedWorkers === 0) return null;
  return `${count(pausedWorkers, 'worker')} that ${pausedWorkers === 1 ? 'offers' : 'offer'} ${job.job_type} with ${job.model} ${pausedWorkers === 1 ? 'is' : 'are'} paused: macbatch workers says by whom, and macbatch worker resume NAME ends a pause.`;
}

function otherModels(jobType: string, models: readonly string[]): string {
  if (models.length === 0) return `No worker offers ${jobType} with any model.`;
  return `For ${jobType}, workers offer ${models.join(', ')}.`;
}

/** One sentence for each trouble, with the workers that have it. */
function troubles({ troubles: all }: JobExplanation): readonly string[] {
  const byText = new Map<string, { readonly trouble: TroubleView; readonly workers: readonly string[] }>();
  for (const { worker_id, ...trouble } of all) {
    const key = `${trouble.endpoint} ${trouble.code} ${trouble.message}`;
    const known = byText.get(key);
    byText.set(key, {
      trouble: known?.trouble ?? trouble,
      workers: [...(known?.workers ?? []), worker_id],
    });
  }
  return [...byText.values()].map(({ trouble, workers }) => `${workers.join(', ')}: ${troubleText(trouble)}`);
}

function silentHolders({ held }: JobExplanation): string | null {
  if (held.absent_workers === 0 || held.absent_lease_seconds === null) return null;
  const who = `${count(held.absent_workers, 'worker')} that ${held.absent_workers === 1 ? 'holds' : 'hold'} tasks of it`;
  const silent = `${who} ${held.absent_workers === 1 ? 'is' : 'are'} silent`;
  return `${silent}: the tasks go to other workers in ${duration(held.absent_lease_seconds)} unless a heartbeat arrives before.`;
}

function expectedEnd({ at, estimate, no_estimate: reason }: JobExplanation): string | null {
  if (estimate !== null) {
    const now = new Date(at);
    const range = clockRange(new Date(estimate.low_at), new Date(estimate.high_at), now);
    return `It should end at about ${clockTime(new Date(estimate.likely_at), now)}, in ${duration(estimate.likely_seconds)}; the range is ${range}, ${duration(estimate.low_seconds)} to ${duration(estimate.high_seconds)}.`;
  }
  switch (reason) {
    case 'no_worker':
      return 'There is no estimate of its end while no worker can run it.';
    case 'nothing_measured':
      return 'There is no estimate of its end yet: its rate, or the rate of a job before it, is not measured.';
    default:
      return null;
  }
}

function rates({ pace, estimate, workers }: JobExplanation): string | null {
  if (estimate === null || workers === 0) return null;
  const able = `${count(workers, 'worker')} can run it`;
  const reported = pace.told > 0 ? `, ${rate(pace.told)} items/s together` : '';
  const measured =
    pace.measured > 0 ? ` In the last minutes its rate was ${rate(pace.measured)} items/s.` : '';
  return `${able}${reported}.${measured}`;
}

function number(value: number): string {
  return value.toLocaleString('en');
}

function count(value: number, noun: string): string {
  return `${number(value)} ${noun}${value === 1 ? '' : 's'}`;
}
