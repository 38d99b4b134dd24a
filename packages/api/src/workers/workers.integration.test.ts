import type { LeasedTask, WorkerView } from '@macbatch/contract';
import { HEARTBEAT_ALIVE_SECONDS } from '@macbatch/core';
import { makeLeasesPass } from '@macbatch/store/testing';
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

it('W1: registers a worker with its first heartbeat and updates it with the next', async () => {
  const { now } = await heartbeat();
  expect(Math.abs(Date.parse(now) - Date.now())).toBeLessThan(60_000);
  const { boot_id: _, ...view } = ADVERT;
  expect(await workers()).toMatchObject([{ ...view, alive: true, offline: false, tasks_leased: 0 }]);
  await heartbeat({ models: ['noop', 'small'], concurrency: 8 });
  expect(await workers()).toMatchObject([{ models: ['noop', 'small'], concurrency: 8 }]);
});

it('W2: treats a worker as alive while its heartbeat is under 60 seconds old', async () => {
  await heartbeat();
  await silentFor(HEARTBEAT_ALIVE_SECONDS - 5);
  expect(await workers()).toMatchObject([{ alive: true }]);
  await silentFor(HEARTBEAT_ALIVE_SECONDS);
  expect(await workers()).toMatchObject([{ alive: false, offline: false }]);
});

it('W2: marks a worker as offline at its goodbye, and as alive at its next heartbeat', async () => {
  await heartbeat({ offline: true });
  expect(await workers()).toMatchObject([{ alive: false, offline: true }]);
  await heartbeat();
  expect(await workers()).toMatchObject([{ alive: true, offline: false }]);
});

it("W3: does not take a dead worker's task back before its lease has passed", async () => {
  await heartbeat();
  const [task] = await control.leased(['a']);
  await silentFor(3600);
  expect(await workers()).toMatchObject([{ alive: false, tasks_leased: 1 }]);
  const reclaim = async () => (await control.send('POST', '/v1/admin/reclaim')).json();
  expect(await reclaim()).toEqual({ reclaimed: 0, failed: 0 });
  await makeLeasesPass(control.db.sql);
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
])('R1: %s expires leases', async (_what, request) => {
  await control.leased(['a']);
  await makeLeasesPass(control.db.sql);
  // A store skips a reclaim within a second of the last one.
  for (;;) {
    expect((await request()).status).toBe(200);
    const [row] = await control.db.sql`select status from tasks`;
    if (row?.['status'] === 'pending') break;
  }
});

it('W4: leases at most lease_limit tasks in one call', async () => {
  const tasks = await control.leased(['a', 'b', 'c', 'd', 'e'], 2);
  expect(tasks).toHaveLength(2);
});

it('W1: renews the leases that a heartbeat names, and lists the lost ones', async () => {
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

it('W1: ignores the unreadable entries of a heartbeat, and renews the others', async () => {
  const [task] = await control.leased(['a']);
  await control.db.sql`update tasks set lease_until = now() + interval '1 second'`;
  const reply = await heartbeat({
    job_types: ['noop', 'a_newer_type'],
    renew: [
      { task_id: 'x', attempt: 1 },
      { task_id: task?.task_id, attempt: task?.attempt },
      { task_id: '7', attempt: 2 ** 31 },
    ],
    suspects: [{}],
  });
  expect(reply).toMatchObject({ lost: [] });
  const ignored = Reflect.get(reply, 'ignored') as { path: string }[];
  expect(new Set(ignored.map(({ path }) => path.replace(/\].*/, ']')))).toEqual(
    new Set(['job_types[1]', 'renew[0]', 'renew[2]', 'suspects[0]']),
  );
  const [row] = await control.db
    .sql`select lease_until > now() + interval '80 seconds' as renewed from tasks`;
  expect(row?.['renewed']).toBe(true);
  expect(await workers()).toMatchObject([{ job_types: ['noop'] }]);
});

it('W1: leases, renews and reports attempts as large as the table can hold', async () => {
  await heartbeat();
  await control.send('POST', '/v1/jobs', { ...JOB, items: [{ id: 'a', payload: 1 }] });
  await control.db.sql`update tasks set attempts = 2147483646`;
  const response = await control.send('POST', '/v1/tasks/lease', LEASE);
  const { tasks } = (await response.json()) as { tasks: LeasedTask[] };
  expect(tasks).toMatchObject([{ attempt: 2 ** 31 - 1 }]);
  const renew = tasks.map(({ task_id, attempt }) => ({ task_id, attempt }));
  expect(await heartbeat({ renew })).toMatchObject({ lost: [], ignored: [] });
  expect(await control.report([completed(tasks[0] as LeasedTask)])).toMatchObject([{ outcome: 'accepted' }]);
});

it('W5: counts done and failed tasks per worker', async () => {
  await heartbeat();
  await heartbeat({ worker_id: 'bob' });
  const [task] = await control.leased(['a', 'b'], 1);
  await control.report([completed(task as LeasedTask)]);
  await heartbeat({ offline: true }); // otherwise the task that bob fails would be left to ann
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

it('states which worker a job waits for, until one joins', async () => {
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

  it('refuses a second machine with the name of the first, and changes nothing', async () => {
    await heartbeat({ former_boot_ids: [] });
    const problem = await control.refused(() => beat(twin));
    expect(problem).toMatchObject({ status: 409, code: 'worker_id_in_use', field: 'worker_id' });
    expect(problem.detail).toContain('ann is in use by a worker on mac-1.local');
    expect(await workers()).toMatchObject([{ hostname: 'mac-1.local' }]);
    // The goodbye of the second machine does not mark the worker as offline.
    await control.refused(() => beat({ ...twin, offline: true }));
    expect(await workers()).toMatchObject([{ hostname: 'mac-1.local', offline: false }]);
  });

  it.each([
    ['it has said goodbye', () => heartbeat({ offline: true })],
    ['it no longer counts as alive', () => silentFor(HEARTBEAT_ALIVE_SECONDS)],
  ])('admits the second machine once %s, and then refuses the first', async (_why, leave) => {
    await heartbeat({ former_boot_ids: [] });
    await leave();
    expect((await beat(twin)).status).toBe(200);
    expect((await control.refused(() => beat({}))).detail).toContain('mac-2.local');
  });

  it('immediately admits a boot that has the previous boot on its disk', async () => {
    await heartbeat();
    const next = { boot_id: 'next', former_boot_ids: ['older', 'boot'] };
    expect((await beat(next)).status).toBe(200);
    expect((await beat(next)).status).toBe(200);
    // The replaced boot has ended, or is a copy of the disk on another machine.
    await control.refused(() => beat({ former_boot_ids: ['older'] }));
  });

  it('admits a worker of the previous release, which sends no boots', async () => {
    await heartbeat();
    await heartbeat({ boot_id: 'next' });
  });
});

describe('W8: a restarted worker', () => {
  const next = { boot_id: 'next', former_boot_ids: ['boot'] };
  const rows = () =>
    control.db.sql`select status, attempts, returns, expiries, errors from tasks order by id`;

  it('takes back what its former boot holds, like a lost lease', async () => {
    await heartbeat();
    await control.leased(['a', 'b']);
    await heartbeat(next);
    // Not yet, because outcomes of that boot may still have to be reported.
    expect(await rows()).toMatchObject([{ status: 'leased' }, { status: 'leased' }]);
    await heartbeat({ ...next, return_former: true });
    const back = { status: 'pending', attempts: 1, returns: 0, expiries: 1, errors: 0 };
    expect(await rows()).toEqual([back, back]);
  });

  it('does not release tasks of its current boot, of other workers or of foreign boots', async () => {
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

  it('releases nothing while it is refused', async () => {
    await heartbeat();
    await control.leased(['a']);
    const twin = { ...ADVERT, boot_id: 'twin', former_boot_ids: ['other'], return_former: true };
    await control.refused(() => control.send('POST', '/v1/workers/heartbeat', twin));
    expect(await rows()).toMatchObject([{ status: 'leased' }]);
  });
});
