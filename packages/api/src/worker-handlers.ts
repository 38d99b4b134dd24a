import type { Store } from '@macbatch/store';
import type { Hono } from 'hono';
import { mount } from './mount.ts';

/** Workers, and what an administrator may force. */
export function mountWorkers(app: Hono, store: Store, limits: { readonly maxJsonBytes: number }): void {
  mount(app, 'heartbeat', limits, async ({ body }) => {
    const now = await store.heartbeat({
      worker: body.worker_id,
      boot: body.boot_id,
      hostname: body.hostname,
      jobTypes: body.job_types,
      models: body.models,
      concurrency: body.concurrency,
      leaseLimit: body.lease_limit,
      offline: body.offline ?? false,
    });
    const leases = body.renew ?? [];
    // Renewed before the sweep: a lease that is only just late is kept by who holds it.
    const answers =
      leases.length === 0
        ? []
        : await store.renew(
            body.worker_id,
            leases.map(({ task_id, attempt }) => ({ taskId: task_id, attempt })),
          );
    await store.reclaim({ force: false });
    return {
      now: now.toISOString(),
      lost: leases.flatMap((lease, i) => {
        const code = answers[i] ?? null;
        return code === null ? [] : [{ ...lease, code }];
      }),
    };
  });

  mount(app, 'listWorkers', limits, async () => {
    await store.reclaim({ force: false });
    const workers = await store.listWorkers();
    return {
      workers: workers.map((worker) => ({
        worker_id: worker.worker,
        hostname: worker.hostname,
        job_types: [...worker.jobTypes],
        models: [...worker.models],
        concurrency: worker.concurrency,
        lease_limit: worker.leaseLimit,
        alive: worker.alive,
        offline: worker.offline,
        first_seen_at: worker.firstSeenAt.toISOString(),
        last_heartbeat_at: worker.lastHeartbeatAt.toISOString(),
        tasks_leased: worker.tasksLeased,
        tasks_done: worker.tasksDone,
        tasks_failed: worker.tasksFailed,
      })),
    };
  });

  mount(app, 'reclaim', limits, async () => {
    const { reclaimed, failed } = await store.reclaim({ force: true });
    return { reclaimed, failed };
  });
}
