import type { WorkerView } from '@macbatch/contract';
import { duration } from './duration.ts';

/** Whether all that a worker offers or holds waits for a model server. */
function hasServerTrouble({ state, troubles }: Pick<WorkerView, 'state' | 'troubles'>): boolean {
  return state === 'nothing_offered' && troubles.length > 0;
}

/** Names the state of a worker in one word. */
export function workerState({ state, alive, offline, pause, troubles }: WorkerView): string {
  if (offline) return 'offline';
  if (!alive) return 'silent';
  if (pause !== null) return 'paused';
  if (hasServerTrouble({ state, troubles })) return 'waiting';
  if (state === null) return 'alive';
  return state === 'working' ? 'working' : 'idle';
}

/**
 * Says why a worker is idle, with the words of its model server; empty if it works. A pause is not part of it, because
 * its times need the reader's zone.
 */
export function whyIdle(worker: WorkerView): string {
  const reason = worker.pause === null || !worker.alive ? reasonOf(worker) : '';
  return [reason, serverWords(worker)].filter((text) => text !== '').join('; ');
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
