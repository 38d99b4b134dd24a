import type { LeasedTask, WorkerView } from '@macbatch/contract';
import { HEARTBEAT_ALIVE_SECONDS } from '@macbatch/core';
import { expireLeases } from '@macbatch/store/testing';
import { describe, expect, it } from 'vitest';
import { completed, fileApp, JOB, LEASE } from '../testing/file-app.ts';

const control = fileApp();

const ADVERT = {
  worker_id: 'ann',
  boot_id: 'boot',
  hostname: 'mac-1.local',
  job_types: ['noop', 'embed'],
  models: ['noop'],
  concurrency: 4,
  lease_limit: 2,
};
async function heartbeat(extra: object = {}) {
  const response = await control.send('POST', '/v1/workers/heartbeat', { ...ADVERT, ...extra });
  expect(response.status).toBe(200);
  return (await response.json()) as { now: string; lost: unknown[] };
}
async function workers(): Promise<WorkerView[]> {
  const response = await control.send('GET', '/v1/workers');
  return ((await response.json()) as { workers: WorkerView[] }).workers;
}
const silentFor = (seconds: number) =>
  control.db.sql`update workers set last_heartbeat_at = now() - ${seconds}::float8 * interval '1 second'`;

it('W1: a heartbeat registers a worker with what it says of itself, and the next one refreshes it', async () => {
  const { now } = await heartbeat();
  expect(Math.abs(Date.parse(now) - Date.now())).toBeLessThan(60_000);
  const { boot_id: _, ...view } = ADVERT;
  expect(await workers()).toMatchObject([{ ...view, alive: true, offline: false, tasks_leased: 0 }]);
  await heartbeat({ models: ['noop', 'small'], concurrency: 8 });
  expect(await workers()).toMatchObject([{ models: ['noop', 'small'], concurrency: 8 }]);
});

it('W2: a worker is alive while its heartbeat is under 60 seconds old', async () => {
  await heartbeat();
  await silentFor(HEARTBEAT_ALIVE_SECONDS - 5);
  expect(await workers()).toMatchObject([{ alive: true }]);
  await silentFor(HEARTBEAT_ALIVE_SECONDS);
  expect(await workers()).toMatchObject([{ alive: false, offline: false }]);
});

it('W2: a worker that says goodbye is offline at once, and back with its next heartbeat', async () => {
  await heartbeat({ offline: true });
  expect(await workers()).toMatchObject([{ alive: false, offline: true }]);
  await heartbeat();
  expect(await workers()).toMatchObject([{ alive: true, offline: false }]);
});

it("W3: a stale worker's task is not taken back early, an expired one is", async () => {
  await heartbeat();
  const [task] = await control.leased(['a']);
  await silentFor(3600);
  expect(await workers()).toMatchObject([{ alive: false, tasks_leased: 1 }]);
  const reclaim = async () => (await control.send('POST', '/v1/admin/reclaim')).json();
  expect(await reclaim()).toEqual({ reclaimed: 0, failed: 0 });
  await expireLeases(control.db.sql);
  expect(await reclaim()).toEqual({ reclaimed: 1, failed: 0 });
  expect(await reclaim()).toEqual({ reclaimed: 0, failed: 0 });
  const job = await (await control.send('GET', `/v1/jobs/${task?.job_id}`)).json();
  expect(job).toMatchObject({ tasks: { pending: 1, leased: 0 }, lease_expired_events: 1 });
});

it.each([
  [
    'a lease',
    () => control.send('POST', '/v1/tasks/lease', { ...LEASE, offers: [{ job_type: 'chat', model: 'x' }] }),
  ],
  ['a heartbeat', () => control.send('POST', '/v1/workers/heartbeat', ADVERT)],
  [
    'a job read',
    async () => {
      const [job] = await control.db.sql<{ id: string }[]>`select id from jobs`;
      return control.send('GET', `/v1/jobs/${job?.id}`);
    },
  ],
  ['the list of jobs', () => control.send('GET', '/v1/jobs')],
  ['the list of workers', () => control.send('GET', '/v1/workers')],
])('R1: %s takes expired leases back', async (_what, request) => {
  await control.leased(['a']);
  await expireLeases(control.db.sql);
  // A store that has just looked leaves looking out, at most a second.
  for (;;) {
    expect((await request()).status).toBe(200);
    const [row] = await control.db.sql`select status from tasks`;
    if (row?.['status'] === 'pending') break;
  }
});

it('W4: lease_limit caps what one call hands out', async () => {
  const tasks = await control.leased(['a', 'b', 'c', 'd', 'e'], 2);
  expect(tasks).toHaveLength(2);
});

it('W1: a heartbeat renews the leases it names, and tells which no longer hold', async () => {
  const tasks = await control.leased(['a', 'b']);
  const names = tasks.map(({ task_id, attempt }) => ({ task_id, attempt }));
  await control.report([completed(tasks[1] as LeasedTask)]);
  await control.db.sql`update tasks set lease_until = now() + interval '1 second' where status = 'leased'`;
  const { lost } = await heartbeat({
    renew: [...names, { task_id: '999', attempt: 1 }, { ...names[0], attempt: 2 }],
  });
  expect(lost).toEqual([
    { ...names[1], code: 'already_done' },
    { task_id: '999', attempt: 1, code: 'not_found' },
    { ...names[0], attempt: 2, code: 'not_leased' },
  ]);
  const [row] = await control.db
    .sql`select lease_until > now() + interval '80 seconds' as renewed from tasks where status = 'leased'`;
  expect(row?.['renewed']).toBe(true);
});

it('W5: tasks done and failed are counted for the worker that did it', async () => {
  await heartbeat();
  await heartbeat({ worker_id: 'bob' });
  const [task] = await control.leased(['a', 'b'], 1);
  await control.report([completed(task as LeasedTask)]);
  await heartbeat({ offline: true }); // or what bob gives up would be left to ann
  for (const attempt of [1, 2, 3]) {
    const response = await control.send('POST', '/v1/tasks/lease', { ...LEASE, worker_id: 'bob' });
    const { tasks } = (await response.json()) as { tasks: LeasedTask[] };
    expect(tasks[0]?.attempt).toBe(attempt);
    const error = { code: 'broken', message: 'it broke' };
    await control.report([{ task_id: tasks[0]?.task_id, attempt, outcomes: [], final: false, error }], 'bob');
  }
  expect(await workers()).toMatchObject([
    { worker_id: 'ann', tasks_done: 1, tasks_failed: 0 },
    { worker_id: 'bob', tasks_done: 0, tasks_failed: 1 },
  ]);
  expect(JOB.job_type).toBe('noop');
});

it('a job that nobody who is alive can run says what it waits for, until somebody comes', async () => {
  const job = { job_type: 'noop', model: 'rare', items: [{ id: 'a', payload: 1 }] };
  const { id } = (await (await control.send('POST', '/v1/jobs', job)).json()) as { id: string };
  const waitingFor = async () =>
    ((await (await control.send('GET', `/v1/jobs/${id}`)).json()) as { waiting_for: string | null })
      .waiting_for;
  expect(await waitingFor()).toBe('a worker that offers noop with rare');
  await heartbeat({ models: ['rare'] });
  expect(await waitingFor()).toBeNull();
  await heartbeat({ models: ['rare'], offline: true });
  expect(await waitingFor()).toBe('a worker that offers noop with rare');
  await control.send('POST', `/v1/jobs/${id}/cancel`);
  expect(await waitingFor()).toBeNull();
});

describe('W8: one machine works under a worker id at a time', () => {
  const beat = (extra: object) =>
    control.send('POST', '/v1/workers/heartbeat', { ...ADVERT, former_boot_ids: [], ...extra });
  const twin = { boot_id: 'twin', hostname: 'mac-2.local' };

  it('a second one is refused with the name of the first, and changes nothing', async () => {
    await heartbeat({ former_boot_ids: [] });
    const problem = await control.refused(() => beat(twin));
    expect(problem).toMatchObject({ status: 409, code: 'worker_id_in_use', field: 'worker_id' });
    expect(problem.detail).toContain('ann is in use by a worker on mac-1.local');
    expect(await workers()).toMatchObject([{ hostname: 'mac-1.local' }]);
    // Nor does the goodbye of a stranger send the worker home.
    await control.refused(() => beat({ ...twin, offline: true }));
    expect(await workers()).toMatchObject([{ hostname: 'mac-1.local', offline: false }]);
  });

  it.each([
    ['it has said goodbye', () => heartbeat({ offline: true })],
    ['it counts as gone', () => silentFor(HEARTBEAT_ALIVE_SECONDS)],
  ])('the next is let in once %s, and then the first is refused', async (_why, leave) => {
    await heartbeat({ former_boot_ids: [] });
    await leave();
    expect((await beat(twin)).status).toBe(200);
    expect((await control.refused(() => beat({}))).detail).toContain('mac-2.local');
  });

  it('a boot that knows the one before it from its disk is let in at once', async () => {
    await heartbeat();
    const next = { boot_id: 'next', former_boot_ids: ['older', 'boot'] };
    expect((await beat(next)).status).toBe(200);
    expect((await beat(next)).status).toBe(200);
    // What it has replaced is over, or a copy of its disk on another machine.
    await control.refused(() => beat({ former_boot_ids: ['older'] }));
  });

  it('a worker of the release before, which tells of no boots, is believed', async () => {
    await heartbeat();
    await heartbeat({ boot_id: 'next' });
  });
});

describe('W8: a worker that was started again', () => {
  const next = { boot_id: 'next', former_boot_ids: ['boot'] };
  const rows = () =>
    control.db.sql`select status, attempts, returns, expiries, errors from tasks order by id`;

  it('hands back what its former process holds, and no attempt is charged', async () => {
    await heartbeat();
    await control.leased(['a', 'b']);
    await heartbeat(next);
    // Not yet: what that process had finished may still have to be reported.
    expect(await rows()).toMatchObject([{ status: 'leased' }, { status: 'leased' }]);
    await heartbeat({ ...next, return_former: true });
    const back = { status: 'pending', attempts: 1, returns: 1, expiries: 0, errors: 0 };
    expect(await rows()).toEqual([back, back]);
  });

  it('hands back nothing of its own, of other workers or of boots that are not its own', async () => {
    await heartbeat();
    await control.leased(['a', 'b', 'c'], 1);
    const lease = (extra: object) =>
      control.send('POST', '/v1/tasks/lease', { ...LEASE, lease_limit: 1, ...extra });
    await lease({ boot_id: 'stranger' });
    await lease({ worker_id: 'bob' });
    await heartbeat({ ...next, former_boot_ids: ['boot', 'next'], return_former: true });
    expect((await rows()).map(({ status }) => status)).toEqual(['pending', 'leased', 'leased']);
    await lease({ boot_id: 'next' });
    await heartbeat({ ...next, return_former: true });
    expect((await rows()).map(({ status }) => status)).toEqual(['leased', 'leased', 'leased']);
  });

  it('hands back nothing while it is refused', async () => {
    await heartbeat();
    await control.leased(['a']);
    const twin = { ...ADVERT, boot_id: 'twin', former_boot_ids: ['other'], return_former: true };
    await control.refused(() => control.send('POST', '/v1/workers/heartbeat', twin));
    expect(await rows()).toMatchObject([{ status: 'leased' }]);
  });
});
