import type { LeasedTask } from '@macbatch/contract';
import { expireLeases } from '@macbatch/store/testing';
import { expect, it } from 'vitest';
import { fileApp, JOB, LEASE } from '../testing/file-app.ts';

const control = fileApp();

async function waitingLease(seconds = 30, signal?: AbortSignal): Promise<LeasedTask[]> {
  const response = await control.app.request('/v1/tasks/lease', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...LEASE, worker_id: 'bob', wait_seconds: seconds }),
    ...(signal === undefined ? {} : { signal }),
  });
  return ((await response.json()) as { tasks: LeasedTask[] }).tasks;
}
const items = [{ id: 'a', payload: 1 }];

/** Whether a promise is still open once everything that was asked before has been answered. */
async function open(promise: Promise<unknown>): Promise<boolean> {
  await control.send('GET', '/v1/workers');
  await control.send('GET', '/v1/jobs');
  return (await Promise.race([promise, Promise.resolve('open')])) === 'open';
}

it('A1: a waiting lease is woken by a submission', async () => {
  const waiting = waitingLease();
  expect(await open(waiting)).toBe(true);
  await control.send('POST', '/v1/jobs', { ...JOB, items });
  expect(await waiting).toMatchObject([{ attempt: 1, items: [{ item_id: 'a' }] }]);
});

it('A1: a waiting lease is woken by a task that is handed back', async () => {
  const [task] = await control.leased(['a']);
  const waiting = waitingLease();
  expect(await open(waiting)).toBe(true);
  const name = { task_id: task?.task_id, attempt: 1 };
  await control.send('POST', '/v1/tasks/release', { worker_id: 'ann', tasks: [name] });
  expect(await waiting).toMatchObject([{ task_id: task?.task_id, attempt: 2 }]);
});

it('A1: a waiting lease is woken by a task that failed and may run again', async () => {
  const [task] = await control.leased(['a']);
  const waiting = waitingLease();
  const error = { code: 'broken', message: 'it broke' };
  await control.report([{ task_id: task?.task_id, attempt: 1, outcomes: [], final: false, error }]);
  expect(await waiting).toMatchObject([{ task_id: task?.task_id, attempt: 2 }]);
});

it('R1: a lease that runs out is taken back by the request that waits, with no other to do it', async () => {
  const [task] = await control.leased(['a']);
  const waiting = waitingLease();
  expect(await open(waiting)).toBe(true);
  await expireLeases(control.db.sql);
  expect(await waiting).toMatchObject([{ task_id: task?.task_id, attempt: 2 }]);
  expect(
    await control.db.sql`select count(*)::int as events from events where kind = 'lease_expired'`,
  ).toEqual([{ events: 1 }]);
});

it('A1: a waiting lease ends empty at its time, and not before', async () => {
  const started = performance.now();
  expect(await waitingLease(0.3)).toEqual([]);
  expect(performance.now() - started).toBeGreaterThanOrEqual(299);
});

it('A1: a lease that does not wait is answered at once when there is nothing', async () => {
  expect(await waitingLease(0)).toEqual([]);
});

it('A1: a caller that has gone gets no lease, so none is lost with it', async () => {
  const gone = new AbortController();
  const waiting = waitingLease(30, gone.signal).catch(() => []);
  expect(await open(waiting)).toBe(true);
  gone.abort();
  await waiting;
  await control.send('POST', '/v1/jobs', { ...JOB, items });
  await control.send('GET', '/v1/jobs');
  expect(await control.db.sql`select status, attempts from tasks`).toEqual([
    { status: 'pending', attempts: 0 },
  ]);
});

it('A1: what was leased for a caller that went away meanwhile is pending again, uncharged', async () => {
  await control.send('POST', '/v1/jobs', { ...JOB, items });
  const gone = new AbortController();
  gone.abort();
  await waitingLease(0, gone.signal).catch(() => []);
  const [row] = await control.db.sql<{ status: string; charged: number }[]>`
    select status, attempts - returns as charged from tasks`;
  expect(row).toEqual({ status: 'pending', charged: 0 });
});
