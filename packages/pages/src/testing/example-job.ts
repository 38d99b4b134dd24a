import type { LeasedTask } from '@macbatch/contract';
import type { PageApp } from './page-app.ts';

const NOOP = { job_type: 'noop', model: 'noop' } as const;

export interface ExampleItem {
  readonly id: string;
  readonly payload?: unknown;
  /** The item ends with this error; without one it ends with the output `true`. */
  readonly error?: { readonly code: string; readonly message: string };
  /** The model that ran. */
  readonly model?: { readonly name: string; readonly digest: string | null };
}

/** Submits a job, of which the worker ann runs every item. Returns the id of the job. */
export async function endedJob(app: PageApp, items: readonly ExampleItem[], name?: string): Promise<string> {
  const job = await submittedJob(app, items, name);
  const lease = { worker_id: 'ann', boot_id: 'boot', lease_limit: 100, offers: [NOOP] };
  const { tasks } = await app.api<{ tasks: LeasedTask[] }>('POST', '/v1/tasks/lease', lease);
  const examples = new Map(items.map((item) => [item.id, item]));
  await app.api('POST', '/v1/tasks/complete_batch', {
    worker_id: 'ann',
    entries: tasks.map((task) => ({
      task_id: task.task_id,
      attempt: task.attempt,
      final: true,
      outcomes: task.items.map(({ item_id }) => {
        const { error, model } = examples.get(item_id) ?? {};
        const outcome = error === undefined ? { item_id, output: 'true' } : { item_id, error };
        return model === undefined ? outcome : { ...outcome, model };
      }),
    })),
  });
  return job;
}

/** Submits a job that nobody runs. Returns its id. */
export async function submittedJob(
  app: PageApp,
  items: readonly ExampleItem[],
  name?: string,
): Promise<string> {
  const { id } = await app.api<{ id: string }>('POST', '/v1/jobs', {
    ...NOOP,
    ...(name === undefined ? {} : { name }),
    items: items.map(({ id, payload = 1 }) => ({ id, payload })),
  });
  return id;
}

/** Sends a heartbeat of a worker that offers these models. */
export async function heartbeat(
  app: PageApp,
  workerId: string,
  models: readonly string[] = ['noop'],
): Promise<void> {
  await app.api('POST', '/v1/workers/heartbeat', {
    worker_id: workerId,
    boot_id: `boot of ${workerId}`,
    hostname: 'h',
    job_types: ['noop'],
    models,
    concurrency: 1,
    lease_limit: 1,
  });
}
