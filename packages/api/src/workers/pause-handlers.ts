import type { Pause } from '@macbatch/contract';
import type { WorkerPause } from '@macbatch/store';
import { assertMayActFor } from '../auth/caller.ts';
import { mount, type Surface } from '../requests/mount.ts';
import { RefusedRequest } from '../requests/refused-request.ts';

/** A pause as a part of a reply. */
export function pauseView(pause: WorkerPause): Pause {
  return { ...pause, since: pause.since.toISOString(), until: pause.until?.toISOString() ?? null };
}

/** Mounts the routes that pause and resume a worker. A worker's own key may do so for this worker. */
export function mountPauses(surface: Surface): void {
  const { store } = surface;
  const notFound = (id: string) => new RefusedRequest('not_found', `The worker ${id} does not exist.`);

  mount(surface, 'pauseWorker', async ({ params, body }, caller) => {
    assertMayActFor(caller, params.id, 'id');
    const pause = await store.pauseWorker(params.id, {
      reason: body.reason ?? null,
      until: body.until === undefined ? null : new Date(body.until),
      by: caller.keyName,
      drain: body.drain ?? false,
    });
    if (pause === 'not_found') throw notFound(params.id);
    if (pause === 'in_the_past')
      throw new RefusedRequest('invalid_field', "until has passed, by the database's clock.", {
        field: 'until',
      });
    return { worker_id: params.id, pause: pauseView(pause) };
  });

  mount(surface, 'resumeWorker', async ({ params }, caller) => {
    assertMayActFor(caller, params.id, 'id');
    if (!(await store.resumeWorker(params.id, caller.keyName))) throw notFound(params.id);
    return { worker_id: params.id, pause: null };
  });
}
