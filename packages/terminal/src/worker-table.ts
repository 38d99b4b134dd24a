import type { WorkerView } from '@macbatch/contract';
import { pauseText } from './pause-text.ts';
import { printable } from './printable.ts';
import { duration, rate, table } from './table.ts';

/** Draws a table of workers: what each one runs, or why it is idle. */
export function workerTable(workers: readonly WorkerView[]): string {
  return table(
    ['worker', 'state', 'model', 'items/s', 'tasks held', 'lease age', 'done', 'failed', 'why idle'],
    workers.map((worker) => [
      worker.worker_id,
      stateWord(worker),
      ...modelAndRate(worker).map(printable),
      worker.tasks_leased,
      duration(worker.oldest_lease_seconds ?? Number.NaN),
      worker.tasks_done,
      worker.tasks_failed,
      printable(whyIdle(worker)),
    ]),
  );
}

/** Whether all that a worker offers or holds waits for a model server. */
function hasServerTrouble({ state, troubles }: Pick<WorkerView, 'state' | 'troubles'>): boolean {
  return state === 'nothing_offered' && troubles.length > 0;
}

function stateWord({ state, alive, offline, pause, troubles }: WorkerView): string {
  if (offline) return 'offline';
  if (!alive) return 'silent';
  if (pause !== null) return 'paused';
  if (hasServerTrouble({ state, troubles })) return 'waiting';
  if (state === null) return 'alive';
  return state === 'working' ? 'working' : 'idle';
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

function whyIdle(worker: WorkerView): string {
  return [
    pauseReason(worker),
    worker.pause === null || !worker.alive ? reasonOf(worker) : '',
    serverWords(worker),
  ]
    .filter((text) => text !== '')
    .join('; ');
}

function pauseReason({ pause, last_heartbeat_at: heardAt, heartbeat_age_seconds: age }: WorkerView): string {
  return pause === null ? '' : pauseText(pause, new Date(Date.parse(heardAt) + (age ?? 0) * 1000));
}

/** What its model servers said, each once. */
function serverWords({ alive, troubles }: WorkerView): string {
  if (!alive) return '';
  const words = [...new Set(troubles.map(({ message }) => message))];
  return [...words.slice(0, 2), ...(words.length > 2 ? ['…'] : [])].join('; ');
}

function reasonOf(worker: WorkerView): string {
  const ago = duration(worker.heartbeat_age_seconds ?? Number.NaN);
  switch (worker.state) {
    case 'working':
      return worker.tasks_leased > 0 ? '' : 'runs copies of tasks of other workers';
    case 'offline':
      return `said goodbye ${ago} ago`;
    case 'silent':
      return `no heartbeat for ${ago}`;
    case 'nothing_offered':
      return worker.troubles.length > 0
        ? 'its model server does not run what it offers'
        : 'offers no model: is its model server running?';
    case 'no_open_job':
      return 'no open job';
    case 'no_job_for_its_models':
      return `open jobs want ${wantedText(worker)}`;
    case 'everything_leased':
      return 'other workers hold all of its tasks';
    case 'work_waits':
      return 'about to ask for work';
    default:
      return '';
  }
}

function wantedText({ wanted }: WorkerView): string {
  if (wanted.length === 0) return 'other models';
  const shown = wanted.slice(0, 3).map(({ job_type, model }) => `${job_type} with ${model}`);
  return [...shown, ...(wanted.length > shown.length ? ['…'] : [])].join(', ');
}
