import type { JobExplanation } from '@macbatch/contract';
import { counted, grouped } from './counted.ts';
import { duration } from './duration.ts';

/** Names the state of a job, with the number of failed items if it is done. */
export function stateText(job: {
  readonly state: string;
  readonly items: { readonly error: number; readonly failed: number };
}): string {
  const bad = job.items.error + job.items.failed;
  return job.state === 'done' && bad > 0 ? `done with ${bad} failed items` : job.state;
}

/** Says in a sentence or two what a job waits for. */
export function waitText({
  waits_for: code,
  job,
  workers,
  busy_workers: busy,
  ...rest
}: JobExplanation): string {
  const kind = `${job.job_type} with ${job.model}`;
  const { held, before } = rest;
  const since =
    held.oldest_lease_seconds === null ? '' : `, the oldest for ${duration(held.oldest_lease_seconds)}`;
  const others = `${counted(before.jobs, 'job')} with ${counted(before.items, 'item')} left`;
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
      return `It runs: ${counted(held.workers, 'worker')} ${held.workers === 1 ? 'holds' : 'hold'} ${counted(held.tasks, 'task')}${since}.${
        before.jobs > 0 ? ` Its workers take ${others} before the rest of this one.` : ''
      }`;
    case 'all_leased':
      return `Workers hold all of its remaining tasks: ${counted(held.tasks, 'task')} on ${counted(held.workers, 'worker')}${since}.`;
    case 'only_slow_holder':
      return `It waits for one worker, which holds its last ${counted(held.tasks, 'task')}${since}, while other workers are idle.`;
    case 'behind_other_jobs':
      return `It waits for other jobs: its ${counted(workers, 'worker')} will take ${others} first.`;
    case 'next_in_line':
      if (busy < workers) return `It is next: one of its ${counted(workers, 'worker')} will take it.`;
      return workers === 1
        ? 'It is next, when its worker has finished the tasks it holds.'
        : `It is next, when its ${grouped(workers)} workers have finished the tasks they hold.`;
  }
}

function otherModels(jobType: string, models: readonly string[]): string {
  if (models.length === 0) return `No worker offers ${jobType} with any model.`;
  return `For ${jobType}, workers offer ${models.join(', ')}.`;
}

/** Says which workers hold tasks of a job and are silent; null if none are. */
export function silentHoldersText({ held }: JobExplanation): string | null {
  if (held.absent_workers === 0 || held.absent_lease_seconds === null) return null;
  const who = `${counted(held.absent_workers, 'worker')} that ${held.absent_workers === 1 ? 'holds' : 'hold'} tasks of it`;
  const silent = `${who} ${held.absent_workers === 1 ? 'is' : 'are'} silent`;
  return `${silent}: the tasks go to other workers in ${duration(held.absent_lease_seconds)} unless a heartbeat arrives before.`;
}

/** Says why there is no estimate of a job's end; null if the job needs none. */
export function noEstimateText(reason: JobExplanation['no_estimate']): string | null {
  switch (reason) {
    case 'no_worker':
      return 'There is no estimate of its end while no worker can run it.';
    case 'nothing_measured':
      return 'There is no estimate of its end yet: its rate, or the rate of a job before it, is not measured.';
    default:
      return null;
  }
}
