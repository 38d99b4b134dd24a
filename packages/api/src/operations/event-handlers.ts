import { listed, sees } from '../auth/caller.ts';
import { mount, type Surface } from '../requests/mount.ts';
import { RefusedRequest } from '../requests/refused-request.ts';

/** Mounts the route that lists what happened to jobs and tasks. */
export function mountEvents(surface: Surface): void {
  const { store } = surface;

  mount(surface, 'listEvents', async ({ query }, caller) => {
    const { job, worker, kind, before, limit } = query;
    const found = job === undefined ? undefined : await store.readJob(job);
    if (found === null || (found !== undefined && !sees(caller, found.owner)))
      throw new RefusedRequest('not_found', `The job ${job} does not exist.`);
    const events = await store.listEvents({
      owner: listed(caller),
      job: job ?? null,
      worker: worker ?? null,
      kind: kind ?? null,
      before: before ?? null,
      limit,
    });
    return {
      events: events.map(({ id, at, kind: name, jobId, taskId, worker: by, attempt, detail }) => ({
        id,
        at: at.toISOString(),
        kind: name,
        job: jobId,
        task_id: taskId,
        worker: by,
        attempt,
        detail: detail === null ? null : (JSON.parse(detail) as unknown),
      })),
      next: events.length === limit ? (events.at(-1)?.id ?? null) : null,
    };
  });
}
