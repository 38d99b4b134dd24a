import type { LeasedTask } from '@macbatch/contract';
import { afterAll, expect } from 'vitest';
import { type FileApp, JOB } from './file-app.ts';

/** The calls of a worker and a submitter that tests of leases need. Expects no internal error after the tests. */
export function leaseCalls(control: FileApp) {
  const { send } = control;

  afterAll(async () => {
    expect(control.errors).toEqual([]);
    expect((await send('GET', '/v1/workers')).status).toBe(200);
  });

  const lease = (body: unknown) => send('POST', '/v1/tasks/lease', body);
  return {
    lease,
    /** Leases as ann. */
    leased: async (extra: object): Promise<LeasedTask[]> => {
      const response = await lease({ worker_id: 'ann', boot_id: 'boot', offers: [JOB], ...extra });
      expect(response.status).toBe(200);
      return ((await response.json()) as { tasks: LeasedTask[] }).tasks;
    },
    submit: async (items: number, shardSize: number): Promise<void> => {
      const ids = Array.from({ length: items }, (_, n) => ({ id: `item-${n}`, payload: n }));
      const response = await send('POST', '/v1/jobs', { ...JOB, shard_size: shardSize, items: ids });
      expect(response.status).toBe(201);
    },
    /** The rows of all tasks, in order. */
    tasks: () =>
      control.db
        .sql`select status, attempts, assigned_worker, lease_until::text, errors from tasks order by id`,
  };
}

/** The task and attempt of a lease. */
export const nameOf = ({ task_id, attempt }: LeasedTask) => ({ task_id, attempt });
