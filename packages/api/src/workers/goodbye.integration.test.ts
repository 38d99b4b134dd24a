import { describe, expect, it } from 'vitest';
import { fileApp, HEARTBEAT, LEASE } from '../testing/file-app.ts';

const control = fileApp();

async function heartbeat(extra: object = {}): Promise<void> {
  const response = await control.send('POST', '/v1/workers/heartbeat', { ...HEARTBEAT, ...extra });
  expect(response.status).toBe(200);
}

describe('W7: a goodbye', () => {
  const statuses = async () =>
    (await control.db.sql<{ status: string }[]>`select status from tasks order by id`).map(
      ({ status }) => status,
    );
  const lease = (extra: object = {}) => control.send('POST', '/v1/tasks/lease', { ...LEASE, ...extra });

  it('releases everything that this boot holds, without a charged attempt', async () => {
    await heartbeat();
    await control.leased(['a', 'b', 'c'], 2);
    await lease({ boot_id: 'other', lease_limit: 1 });
    await heartbeat({ offline: true });
    expect(await statuses()).toEqual(['pending', 'pending', 'leased']);
    const [task] = await control.db.sql`select attempts, returns, expiries from tasks order by id`;
    expect(task).toEqual({ attempts: 1, returns: 1, expiries: 0 });
  });

  it('leaves tasks leased whose outcomes the next boot will report', async () => {
    await heartbeat();
    const [, second] = await control.leased(['a', 'b']);
    const unreported = [{ task_id: second?.task_id, attempt: second?.attempt }];
    await heartbeat({ offline: true, unreported });
    expect(await statuses()).toEqual(['pending', 'leased']);
  });

  it('releases nothing while another machine works under the worker id', async () => {
    await heartbeat();
    await control.leased(['a']);
    const twin = { ...HEARTBEAT, boot_id: 'twin', former_boot_ids: [], offline: true };
    await control.refused(() => control.send('POST', '/v1/workers/heartbeat', twin));
    expect(await statuses()).toEqual(['leased']);
  });

  it.each([0, 20])(
    'makes the next lease call fail that waits %i s, until the next heartbeat',
    async (wait) => {
      await heartbeat();
      await heartbeat({ offline: true });
      const problem = await control.refused(() => lease({ wait_seconds: wait }));
      expect(problem).toMatchObject({ status: 409, code: 'worker_offline' });
      expect(problem.detail).toContain('Send a heartbeat before');
      await heartbeat();
      expect((await lease()).status).toBe(200);
    },
  );
});
