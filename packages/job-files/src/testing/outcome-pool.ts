import { createApp } from '@macbatch/api';
import { Client } from '@macbatch/client';
import type { JobHeader, LeasedTask } from '@macbatch/contract';
import { workTypeOf } from '@macbatch/core';
import { type SharedStore, sharedStore } from '@macbatch/store/testing';
import { expect } from 'vitest';
import { inputDraft } from '../input/input-draft.ts';
import type { JobInput } from '../input/job-input.ts';
import { contentKey, submitDraft } from '../submission.ts';

/** What a worker reports for an item: the JSON text of an output, or an error. */
type ReportedEnd = string | { readonly error: string };

/** A control plane for the tests of a file, and a worker that ends the items that the test names. */
export interface OutcomePool {
  readonly db: SharedStore;
  readonly client: Client;
  /** Submits a job with one item a task. */
  submit(input: JobInput, header?: JobHeader): Promise<string>;
  /** Leases all pending tasks. Returns the ids of their items. */
  lease(): Promise<readonly string[]>;
  /** Ends items by id. Leases what it needs. */
  end(ends: Readonly<Record<string, ReportedEnd>>): Promise<void>;
}

const NOOP = { job_type: 'noop', model: 'noop' } as const;

export function outcomePool(): OutcomePool {
  const db = sharedStore();
  let app: ReturnType<typeof createApp> | undefined;
  /** Leased tasks by the id of their item. */
  const held = new Map<string, LeasedTask>();
  const client = new Client({
    baseUrl: 'http://control.test',
    retries: 0,
    fetch: (url, init) => {
      app ??= createApp({ store: db.store, open: true });
      return app.request(url, init);
    },
  });
  const lease = async () => {
    const { jobs } = await client.call('listJobs', { query: {} });
    const offers = jobs.map(({ job_type, model }) => ({ job_type: workTypeOf(job_type, {}), model }));
    const { tasks } = await client.call('leaseTasks', {
      body: { worker_id: 'ann', boot_id: 'boot', lease_limit: 1000, offers },
    });
    for (const task of tasks) for (const { item_id } of task.items) held.set(item_id, task);
    return tasks.flatMap(({ items }) => items.map(({ item_id }) => item_id));
  };
  return {
    db,
    client,
    async submit(input, header: JobHeader = NOOP) {
      const draft = inputDraft({ ...header, shard_size: 1, reuse: 'none' }, input);
      const contentHash = await contentKey(draft);
      const key = { contentHash, idempotencyKey: contentHash };
      return (await submitDraft(client, draft, key, new AbortController().signal)).job.id;
    },
    lease,
    async end(ends) {
      await lease();
      const entries = Object.entries(ends).map(([id, end]) => {
        const task = held.get(id);
        if (task === undefined) throw new Error(`nobody can lease the item ${id}`);
        const { task_id, attempt } = task;
        return { task_id, attempt, outcomes: [outcomeOf(id, end)], final: true };
      });
      const reply = await client.call('completeBatch', { body: { worker_id: 'ann', entries } });
      expect(reply.entries.map(({ outcome }) => outcome)).toEqual(entries.map(() => 'accepted'));
    },
  };
}

function outcomeOf(item_id: string, end: ReportedEnd) {
  return typeof end === 'string'
    ? { item_id, output: end }
    : { item_id, error: { code: end.error, message: `${end.error}, sadly` } };
}
