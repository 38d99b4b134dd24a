import type { WorkerView } from '@macbatch/contract';
import { distinctWorkKinds, offersWork, type WorkKind, workerState } from '@macbatch/core';
import type { OwnedPool, Worker } from '@macbatch/store';
import { type Caller, sees } from '../auth/caller.ts';
import { pauseView } from './pause-handlers.ts';
import { troubleView } from './trouble-view.ts';

/** Most work kinds that are listed for a worker without a fitting job. */
const MOST_WANTED = 20;

/**
 * A worker as an entry of the worker list. Hides what jobs need that the caller may not see: of what a
 * worker runs, the caller sees only models that the worker offers.
 */
export function workerView(worker: Worker, pool: OwnedPool, caller: Caller): WorkerView {
  const seen = pool.workers.find(({ id }) => id === worker.worker);
  const { held = [], copies = [] } = seen ?? {};
  const state = workerState({ ...worker, id: worker.worker, held, copies }, pool.jobs);
  const works = [...held, ...copies];
  const mayKnow = (kind: WorkKind) => caller.role === 'admin' || offersWork(worker, kind);
  return {
    worker_id: worker.worker,
    hostname: worker.hostname,
    job_types: [...worker.jobTypes],
    models: [...worker.models],
    concurrency: worker.concurrency,
    lease_limit: worker.leaseLimit,
    rates: worker.rates.map(({ jobType, model, itemsPerSecond, loaded = false }) => ({
      job_type: jobType,
      model,
      items_per_second: itemsPerSecond,
      loaded,
    })),
    troubles: worker.troubles.map(troubleView),
    alive: worker.alive,
    offline: worker.offline,
    first_seen_at: worker.firstSeenAt.toISOString(),
    last_heartbeat_at: worker.lastHeartbeatAt.toISOString(),
    tasks_leased: worker.tasksLeased,
    tasks_done: worker.tasksDone,
    tasks_failed: worker.tasksFailed,
    heartbeat_age_seconds: worker.heartbeatAgeSeconds,
    state,
    pause: worker.pause === null ? null : pauseView(worker.pause),
    holding: [
      ...held.map((each) => ({ ...each, copies: false })),
      ...copies.map((each) => ({ ...each, copies: true })),
    ]
      .filter(({ jobId }) => pool.jobs.some(({ id, owner }) => id === jobId && sees(caller, owner)))
      .map((each) => ({
        job: each.jobId,
        tasks: each.tasks,
        items: each.items,
        oldest_lease_seconds: each.oldestSeconds,
        copies: each.copies,
      })),
    running: distinctWorkKinds(works.filter(mayKnow)).map((kind) => ({
      ...kindView(kind),
      tasks: works
        .filter(({ jobType, model }) => jobType === kind.jobType && model === kind.model)
        .reduce((sum, { tasks }) => sum + tasks, 0),
    })),
    last_ran: worker.lastRan !== null && mayKnow(worker.lastRan) ? kindView(worker.lastRan) : null,
    oldest_lease_seconds:
      works.length === 0 ? null : Math.max(...works.map(({ oldestSeconds }) => oldestSeconds)),
    wanted:
      state === 'no_job_for_its_models'
        ? distinctWorkKinds(pool.jobs.filter(({ owner }) => sees(caller, owner)))
            .slice(0, MOST_WANTED)
            .map(kindView)
        : [],
  };
}

function kindView({ jobType, model }: WorkKind): { job_type: string; model: string } {
  return { job_type: jobType, model };
}
