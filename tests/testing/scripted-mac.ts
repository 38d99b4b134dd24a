import type { Client } from '@macbatch/client';
import type { LeasedTask, RouteInput } from '@macbatch/contract';

/** The error with which an item ends; null: it ends with an output. */
export type ErrorOf = (itemId: string) => { readonly code: string; readonly message: string } | null;

/** Submits a job for a model, with one task for each of these items. Returns its id. */
export async function submitItems(
  client: Client,
  {
    name,
    model,
    items,
  }: { readonly name: string; readonly model: string; readonly items: readonly string[] },
): Promise<string> {
  const { job } = await client.submit(async function* () {
    yield JSON.stringify({ job_type: 'noop', model, name, shard_size: 1 });
    for (const id of items) yield JSON.stringify({ id, payload: 1 });
  });
  return job.id;
}

/** A Mac that does what the test says, over the API of a real control plane. It offers one model. */
export class ScriptedMac {
  readonly #client: Client;
  readonly #names: { readonly worker_id: string; readonly boot_id: string };
  readonly #model: string;

  constructor(client: Client, id: string, model: string) {
    this.#client = client;
    this.#model = model;
    this.#names = { worker_id: id, boot_id: `boot of ${id}` };
  }

  async heartbeat(more: Partial<RouteInput<'heartbeat'>['body']> = {}): Promise<void> {
    await this.#client.call('heartbeat', {
      body: {
        ...this.#names,
        hostname: `${this.#names.worker_id}.local`,
        job_types: ['noop'],
        models: [this.#model],
        concurrency: 4,
        lease_limit: 100,
        ...more,
      },
    });
  }

  /** Leases this many tasks, in as many calls as it takes. */
  async lease(tasks: number): Promise<readonly LeasedTask[]> {
    const leased: LeasedTask[] = [];
    while (leased.length < tasks) {
      const reply = await this.#client.call('leaseTasks', {
        body: {
          ...this.#names,
          lease_limit: tasks - leased.length,
          slots: 1000,
          offers: [{ job_type: 'noop', model: this.#model, items_per_second: 100 }],
          renews: true,
        },
      });
      if (reply.tasks.length === 0) throw new Error(`only ${leased.length} of ${tasks} tasks can be leased`);
      leased.push(...reply.tasks);
    }
    return leased;
  }

  async report(tasks: readonly LeasedTask[], errorOf: ErrorOf = () => null): Promise<void> {
    await this.#client.call('completeBatch', {
      body: {
        worker_id: this.#names.worker_id,
        entries: tasks.map(({ task_id, attempt, items }) => ({
          task_id,
          attempt,
          final: true,
          outcomes: items.map(({ item_id }) => {
            const error = errorOf(item_id);
            return error === null ? { item_id, output: 'true' } : { item_id, error };
          }),
        })),
      },
    });
  }

  /** Sends a heartbeat, then leases this many tasks and reports all their items. */
  async run(tasks: number, errorOf?: ErrorOf): Promise<void> {
    await this.heartbeat();
    await this.report(await this.lease(tasks), errorOf);
  }
}
