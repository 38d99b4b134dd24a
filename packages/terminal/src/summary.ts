import type { JobView } from '@macbatch/contract';
import { duration, mixedBuildsText, printable, rate, stateText } from '@macbatch/wording';
import { table } from './table.ts';

const secondsBetween = (from: string, to: string): number => (Date.parse(to) - Date.parse(from)) / 1000;

/** Items per second of one worker between its first lease and its last report. NaN if no time passed. */
function workerRate(worker: JobView['workers'][number]): number {
  const busy = secondsBetween(worker.first_lease_at, worker.last_report_at);
  return busy > 0 ? (worker.items_ok + worker.items_error) / busy : Number.NaN;
}

/** Tokens that the models of a job read and wrote. */
export interface UsedTokens {
  readonly input: number;
  readonly output: number;
}

/** Summarises a job in two tables. */
export function summaryText(job: JobView, tokens?: UsedTokens): string {
  const took = job.finished_at === null ? Number.NaN : secondsBetween(job.created_at, job.finished_at);
  const facts = table(
    ['job', job.id],
    [
      ...(job.name === null ? [] : [['name', printable(job.name)]]),
      ...(job.submitted_by === null ? [] : [['submitted by', printable(job.submitted_by)]]),
      ['state', stateText(job)],
      [
        'items ok / failed / total',
        `${job.items.ok} / ${job.items.error + job.items.failed} / ${job.items.total}`,
      ],
      ...(job.items.reused + job.items.repeated > 0
        ? [['reused from earlier jobs / repeated in this one', `${job.items.reused} / ${job.items.repeated}`]]
        : []),
      ['tasks done / failed', `${job.tasks.done} / ${job.tasks.failed}`],
      ['attempts (leases granted)', String(job.leases_granted)],
      ['lease_expired_events', String(job.lease_expired_events)],
      ['from submission to end', duration(took)],
      ['items/s', rate((job.items.total - job.items.open) / took)],
      ...(tokens === undefined ? [] : [['tokens in / out', tokensText(tokens)]]),
      ['model', modelsText(job)],
      ...(job.waiting_for === null ? [] : [['waits for', job.waiting_for]]),
    ],
  );
  const workers = table(
    ['worker', 'tasks done', 'tasks failed', 'items ok', 'item errors', 'items/s'],
    job.workers.map((worker) => [
      worker.worker_id,
      worker.tasks_done,
      worker.tasks_failed,
      worker.items_ok,
      worker.items_error,
      rate(workerRate(worker)),
    ]),
  );
  const mixed = mixedBuildsText(job);
  return [
    facts,
    ...(job.workers.length === 0 ? [] : [workers]),
    ...(mixed === null ? [] : [`warning: ${mixed}`]),
  ].join('\n\n');
}

function tokensText({ input, output }: UsedTokens): string {
  return input + output === 0 ? '–' : `${input.toLocaleString('en')} / ${output.toLocaleString('en')}`;
}

function modelsText(job: JobView): string {
  const names = job.models_used.map(({ name, digest }) =>
    digest === null ? name : `${name} (${digest.slice(0, 19)}…)`,
  );
  return names.length === 0 ? 'none ran' : names.join(', ');
}

/** Summarises a job for programs. `outcomes` is the path of the outcome file. */
export function summaryJson(job: JobView, outcomes: string | null): object {
  return {
    ...job,
    outcomes,
    workers: job.workers.map((worker) => {
      const perSecond = workerRate(worker);
      return { ...worker, items_per_second: Number.isFinite(perSecond) ? perSecond : null };
    }),
  };
}
