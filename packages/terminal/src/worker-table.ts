import type { WorkerView } from '@macbatch/contract';
import { duration, printable, rate, whyIdle, workerState } from '@macbatch/wording';
import { pauseText } from './pause-text.ts';
import { table } from './table.ts';

/** Draws a table of workers: what each one runs, or why it is idle. */
export function workerTable(workers: readonly WorkerView[]): string {
  return table(
    ['worker', 'state', 'model', 'items/s', 'tasks held', 'lease age', 'done', 'failed', 'why idle'],
    workers.map((worker) => [
      worker.worker_id,
      workerState(worker),
      ...modelAndRate(worker).map(printable),
      worker.tasks_leased,
      duration(worker.oldest_lease_seconds ?? Number.NaN),
      worker.tasks_done,
      worker.tasks_failed,
      printable(reasonText(worker)),
    ]),
  );
}

/** Why it is idle or paused. */
function reasonText(worker: WorkerView): string {
  const { pause, last_heartbeat_at: heardAt, heartbeat_age_seconds: age } = worker;
  const now = new Date(Date.parse(heardAt) + (age ?? 0) * 1000);
  const texts = [pause === null ? '' : pauseText(pause, now), whyIdle(worker)];
  return texts.filter((text) => text !== '').join('; ');
}

/** Names the models that a worker runs, or ran last, and its rate for them. */
function modelAndRate(worker: WorkerView): [string, string] {
  const last = worker.last_ran === null ? [] : [worker.last_ran];
  const kinds = worker.running.length > 0 ? worker.running : last;
  if (kinds.length === 0) return ['–', '–'];
  const rates = kinds.map(
    ({ job_type, model }) =>
      worker.rates.find((known) => known.job_type === job_type && known.model === model)?.items_per_second ??
      Number.NaN,
  );
  const models = [...new Set(kinds.map(({ model }) => model))].join(', ');
  return [worker.running.length > 0 ? models : `last ${models}`, rates.map(rate).join(', ')];
}
