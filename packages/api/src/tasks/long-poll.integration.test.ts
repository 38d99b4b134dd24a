import type { LeasedTask } from '@macbatch/contract';
import { makeLeasesPass } from '@macbatch/store/testing';
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

/** Whether a promise is still pending after all earlier requests were answered. */
async function open(promise: Promise<unknown>): Promise<boolean> {
  await control.send('GET', '/v1/workers');
  await control.send('GET', '/v1/jobs');
  return (await Promise.race([promise, Promise.resolve('open')])) === 'open';
}

it('A1: wakes a waiting lease on a submission', async () => {
  const waiting = waitingLease();
  expect(await open(waiting)).toBe(true);
  await control.send('POST', '/v1/jobs', { ...JOB, items });
  expect(await waiting).toMatchObject([{ attempt: 1, items: [{ item_id: 'a' }] }]);
});

it('A1: wakes a waiting lease on a released task', async () => {
  const [task] = await control.leased(['a']);
  const waiting = waitingLease();
  expect(await open(waiting)).toBe(true);
  const name = { task_id: task?.task_id, attempt: 1 };
  await control.send('POST', '/v1/tasks/release', { worker_id: 'ann', tasks: [name] });
  expect(await waiting).toMatchObject([{ task_id: task?.task_id, attempt: 2 }]);
});

it('A1: wakes a waiting lease on a task that may run again after an error', async () => {
  const [task] = await control.leased(['a']);
  const waiting = waitingLease();
  const error = { code: 'broken', message: 'it broke' };
  await control.report([{ task_id: task?.task_id, attempt: 1, outcomes: [], final: false, error }]);
  expect(await waiting).toMatchObject([{ task_id: task?.task_id, attempt: 2 }]);
});

it('R1: expires a lease by the waiting request alone', async () => {
  const [task] = await control.leased(['a']);
  const waiting = waitingLease();
  expect(await open(waiting)).toBe(true);
  await makeLeasesPass(control.db.sql);
  expect(await waiting).toMatchObject([{ task_id: task?.task_id, attempt: 2 }]);
  expect(
    await control.db.sql`select count(*)::int as events from events where kind = 'lease_expired'`,
  ).toEqual([{ events: 1 }]);
});

it('A1: ends a waiting lease without tasks when its time is over, not earlier', async () => {
  const started = performance.now();
  expect(await waitingLease(0.3)).toEqual([]);
  expect(performance.now() - started).toBeGreaterThanOrEqual(299);
});

it('A1: answers a lease without waiting time immediately', async () => {
  expect(await waitingLease(0)).toEqual([]);
});

it('A1: leases nothing to a caller that has disconnected', async () => {
  const disconnect = new AbortController();
  const waiting = waitingLease(30, disconnect.signal).catch(() => []);
  expect(await open(waiting)).toBe(true);
  disconnect.abort();
  await waiting;
  await control.send('POST', '/v1/jobs', { ...JOB, items });
  await control.send('GET', '/v1/jobs');
  expect(await control.db.sql`select status, attempts from tasks`).toEqual([
    { status: 'pending', attempts: 0 },
  ]);
});

it('A1: releases what it leased while the caller disconnected, without charging the attempt', async () => {
  await control.send('POST', '/v1/jobs', { ...JOB, items });
  const disconnect = new AbortController();
  disconnect.abort();
  await waitingLease(0, disconnect.signal).catch(() => []);
  const [row] = await control.db.sql<{ status: string; charged: number }[]>`
    select status, attempts - returns as charged from tasks`;
  expect(row).toEqual({ status: 'pending', charged: 0 });
});
