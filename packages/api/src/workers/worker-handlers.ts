import {
  HEARTBEAT_ENTRIES,
  Heartbeat,
  parseReadable,
  type RouteReply,
  routes,
  type UnreadableEntry,
} from '@macbatch/contract';
import { HEARTBEAT_ALIVE_SECONDS } from '@macbatch/core';
import { assertMayActFor } from '../auth/caller.ts';
import { checkProtocol } from '../requests/api-version.ts';
import { invalidField } from '../requests/invalid-field.ts';
import { mount, type Surface } from '../requests/mount.ts';
import { RefusedRequest } from '../requests/refused-request.ts';
import { readJsonBody } from '../requests/request-body.ts';
import { pauseView } from './pause-handlers.ts';
import { toBoot } from './to-boot.ts';
import { workerView } from './worker-view.ts';

/** Mounts the routes of workers, boots and the forced reclaim. */
export function mountWorkers(surface: Surface): void {
  const { store } = surface;

  async function heartbeat(
    body: Heartbeat,
    ignored: readonly UnreadableEntry[],
  ): Promise<RouteReply<'heartbeat'>> {
    const admission = await store.heartbeat({
      worker: body.worker_id,
      boot: body.boot_id,
      hostname: body.hostname,
      jobTypes: body.job_types,
      models: body.models,
      concurrency: body.concurrency,
      leaseLimit: body.lease_limit,
      rates: (body.rates ?? []).map(({ job_type, model, items_per_second, loaded }) => ({
        jobType: job_type,
        model,
        itemsPerSecond: items_per_second,
        loaded,
      })),
      troubles: (body.troubles ?? []).map((trouble) => ({
        jobType: trouble.job_type,
        model: trouble.model,
        endpoint: trouble.endpoint,
        code: trouble.code,
        message: trouble.message,
        sinceSeconds: trouble.since_seconds,
        nextTrySeconds: trouble.next_try_seconds,
      })),
      offline: body.offline ?? false,
      ...(body.own_pause === undefined
        ? {}
        : {
            ownPause: {
              rule: body.own_pause.rule,
              reason: body.own_pause.reason,
              forMs: body.own_pause.since_seconds * 1000,
            },
          }),
      formerBoots: body.former_boot_ids ?? null,
    });
    if ('inUseBy' in admission) {
      throw new RefusedRequest(
        'worker_id_in_use',
        `The worker id ${body.worker_id} is in use by a worker on ${admission.inUseBy}. Give this one another MACBATCH_WORKER_ID (--id). If that worker no longer runs, this one may start ${HEARTBEAT_ALIVE_SECONDS} s after its last heartbeat.`,
        { field: 'worker_id' },
      );
    }
    if (body.offline === true) {
      const kept = (body.unreported ?? []).map(({ task_id, attempt }) => ({ taskId: task_id, attempt }));
      await store.releaseBoots(body.worker_id, [body.boot_id], kept);
    }
    // Only now, because the outcomes of these boots were still reported from their leases.
    if (body.return_former === true) await store.expireBoots(body.worker_id, body.former_boot_ids ?? []);
    if (body.suspects !== undefined && body.suspects.length > 0) {
      await store.excludeFromCopies(
        body.worker_id,
        body.suspects.map(({ task_id, attempt, item_id }) => ({ taskId: task_id, attempt, itemId: item_id })),
      );
    }
    const leases = body.renew ?? [];
    // Renew before the reclaim, so that a holder keeps a lease that has just passed.
    const answers =
      leases.length === 0
        ? []
        : await store.renew(
            body.worker_id,
            body.boot_id,
            leases.map(({ task_id, attempt }) => ({ taskId: task_id, attempt })),
          );
    await store.reclaim({ force: false });
    return {
      now: admission.now.toISOString(),
      deployment_id: await store.deploymentId(),
      pause: admission.pause === null ? null : pauseView(admission.pause),
      lost: leases.flatMap((lease, i) => {
        const code = answers[i]?.refusal ?? null;
        return code === null ? [] : [{ ...lease, code }];
      }),
      ignored: [...ignored],
      settled: leases.flatMap((lease, i) => {
        const { refusal, recordedElsewhere } = answers[i] ?? { refusal: null, recordedElsewhere: [] };
        return refusal !== null || recordedElsewhere.length === 0
          ? []
          : [{ ...lease, item_ids: [...recordedElsewhere] }];
      }),
    };
  }

  // One unreadable entry must not cost the worker its other leases.
  surface.app.post(routes.heartbeat.path, async (c) => {
    const caller = await surface.authenticator.admit(c, 'heartbeat');
    const parsed = parseReadable(Heartbeat, await readJsonBody(c, surface.limits), HEARTBEAT_ENTRIES);
    if (!parsed.success) throw invalidField(parsed.error);
    checkProtocol(c);
    assertMayActFor(caller, parsed.data.worker_id);
    return c.json(await heartbeat(parsed.data, parsed.unreadable));
  });

  mount(surface, 'listWorkers', async (_, caller) => {
    await store.reclaim({ force: false });
    const [workers, pool] = await Promise.all([store.listWorkers(), store.pool()]);
    const views = workers.map((worker) => workerView(worker, pool, caller));
    return { workers: views.filter(({ worker_id }) => [null, worker_id].includes(caller.workerId)) };
  });

  mount(surface, 'reportBoot', async ({ body }, caller) => {
    assertMayActFor(caller, body.name, 'name');
    if (caller.workerId !== null && body.role !== 'worker')
      throw new RefusedRequest('forbidden', 'A worker key cannot report a boot of a control plane.', {
        field: 'role',
      });
    return { verdict: await store.addBoot(toBoot(body)) };
  });

  mount(surface, 'listBoots', async ({ query }) => {
    const boots = await store.listBoots({ name: query.name ?? null, limit: query.limit });
    return {
      boots: boots.map((boot) => ({
        role: boot.role,
        name: boot.name,
        boot_id: boot.bootId,
        pid: boot.pid,
        hostname: boot.hostname,
        started_at: boot.startedAt.toISOString(),
        cwd: boot.cwd,
        tmp_writable: boot.tmpWritable,
        previous_boot_id: boot.previousBootId,
        verdict: boot.verdict,
        reported_at: boot.reportedAt.toISOString(),
      })),
    };
  });

  mount(surface, 'reclaim', async () => {
    const { reclaimed, failed } = await store.reclaim({ force: true });
    return { reclaimed, failed };
  });
}
