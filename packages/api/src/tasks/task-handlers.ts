import { type LeasedTask, type LeaseRequest, ReportEnvelope, routes, WorkType } from '@macbatch/contract';
import type { LeasedTask as StoredTask, WorkerPause } from '@macbatch/store';
import { assertMayActFor } from '../auth/caller.ts';
import { checkProtocol } from '../requests/api-version.ts';
import { invalidField } from '../requests/invalid-field.ts';
import { mount, type Surface } from '../requests/mount.ts';
import { RefusedRequest } from '../requests/refused-request.ts';
import { readJsonBody } from '../requests/request-body.ts';
import { pauseView } from '../workers/pause-handlers.ts';
import { WorkWatch } from './lease-wait.ts';
import { entryReply, readEntry } from './report-entry.ts';

/** Mounts the routes that lease, report and release tasks. */
export function mountTasks(
  surface: Surface,
  waiting: { readonly monotonicMs: () => number; readonly stopping: AbortSignal | undefined },
): void {
  const { app, store, authenticator, limits } = surface;
  const { monotonicMs, stopping } = waiting;

  async function lease(request: LeaseRequest, again: boolean) {
    await store.reclaim({ force: false });
    return store.lease({
      worker: request.worker_id,
      boot: request.boot_id,
      limit: request.lease_limit ?? null,
      slots: request.slots ?? null,
      offers: request.offers.map(({ job_type, model, items_per_second, loaded, load_seconds }) => ({
        jobType: job_type,
        model,
        itemsPerSecond: items_per_second ?? null,
        loaded: loaded ?? false,
        loadSeconds: load_seconds ?? null,
      })),
      renews: request.renews ?? false,
      acceptsCopies: request.copies ?? false,
      repeated: again,
      ...(request.holds === undefined
        ? {}
        : { knownLeases: request.holds.map(({ task_id, attempt }) => ({ taskId: task_id, attempt })) }),
    });
  }

  mount(surface, 'leaseTasks', async ({ body }, caller, c) => {
    checkProtocol(c);
    assertMayActFor(caller, body.worker_id);
    const endStream = (body.wait_seconds ?? 0) > 0 ? authenticator.stream(caller) : () => undefined;
    const deadline = monotonicMs() + (body.wait_seconds ?? 0) * 1000;
    const cancelled =
      stopping === undefined ? c.req.raw.signal : AbortSignal.any([c.req.raw.signal, stopping]);
    const watch = (body.wait_seconds ?? 0) > 0 ? new WorkWatch(store) : null;
    try {
      let pause: WorkerPause | null = null;
      for (let again = false; ; ) {
        const { leaseSeconds, tasks, standing } = await lease(body, again);
        if (standing?.saidGoodbye === true) throw workerOffline(body);
        // A repeated call does not look it up: the worker is still paused, or there has been a notification.
        if (standing !== null) pause = standing.pause;
        if (cancelled.aborted && tasks.length > 0) {
          // The caller has disconnected and would not run them: release them immediately.
          await store.release(body.worker_id, tasks);
          return { tasks: [], pause: null };
        }
        const left = deadline - monotonicMs();
        if (tasks.length > 0 || left <= 0 || cancelled.aborted || watch === null) {
          return {
            tasks: tasks.map((task) => leasedTask(task, leaseSeconds)),
            pause: tasks.length > 0 || pause === null ? null : pauseView(pause),
          };
        }
        again = !(await watch.wait(left, cancelled));
        if (cancelled.aborted) return { tasks: [], pause: null };
      }
    } finally {
      watch?.stop();
      endStream();
    }
  });

  app.post(routes.completeBatch.path, async (c) => {
    const caller = await authenticator.admit(c, 'completeBatch');
    const envelope = ReportEnvelope.safeParse(await readJsonBody(c, limits));
    if (!envelope.success) throw invalidField(envelope.error);
    assertMayActFor(caller, envelope.data.worker_id);
    const { worker_id: worker, entries } = envelope.data;
    const read = entries.map(readEntry);
    const good = read.flatMap((each) => (each.ok ? [each.entry] : []));
    const verdicts = (good.length === 0 ? [] : await store.report(worker, good)).values();
    return c.json({
      entries: read.map((each) => {
        if (!each.ok) return each.reply;
        const verdict = verdicts.next();
        if (verdict.done === true) throw new Error('the store gave fewer verdicts than it was given entries');
        return entryReply(each.entry, verdict.value);
      }),
    });
  });

  mount(surface, 'releaseTasks', async ({ body }, caller) => {
    assertMayActFor(caller, body.worker_id);
    const answers = await store.release(
      body.worker_id,
      body.tasks.map(({ task_id, attempt, rejected }) => ({
        taskId: task_id,
        attempt,
        rejected: rejected ?? false,
      })),
    );
    return {
      tasks: body.tasks.map(({ task_id, attempt }, i) => {
        const lease = { task_id, attempt };
        const code = answers[i] ?? null;
        return code === null
          ? { ...lease, outcome: 'accepted' as const }
          : { ...lease, outcome: 'refused' as const, code };
      }),
    };
  });
}

/** A call that arrives after the goodbye gets no tasks: nobody would release them. */
function workerOffline({ worker_id, boot_id }: LeaseRequest): RefusedRequest {
  return new RefusedRequest(
    'worker_offline',
    `The worker ${worker_id} has said goodbye with its boot ${boot_id}. Send a heartbeat before you lease tasks.`,
  );
}

function leasedTask(task: StoredTask, leaseSeconds: number): LeasedTask {
  return {
    task_id: task.taskId,
    job_id: task.jobId,
    attempt: task.attempt,
    lease_seconds: leaseSeconds,
    job_type: WorkType.parse(task.jobType),
    model: task.model,
    params: task.params,
    copy: task.copy,
    no_other_worker: task.noOtherWorker,
    items: task.items.map(({ itemId, payload }) => ({ item_id: itemId, payload })),
  };
}
