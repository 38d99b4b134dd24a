import { once } from 'node:events';
import { connect } from 'node:net';
import { createApp } from '@macbatch/api';
import { makeLeasesPass, rowCounts, sharedStore } from '@macbatch/store/testing';
import { until } from '@macbatch/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Listening, listen } from './listen.ts';

const db = sharedStore();
const errors: Error[] = [];
let server: Listening;
beforeAll(async () => {
  const app = createApp({
    store: db.store,
    open: true,
    limits: { maxJsonBytes: 1_000_000 },
    onError: (error) => errors.push(error),
  });
  server = await listen(app, { host: '127.0.0.1', port: 0 });
});
afterAll(() => server.close(1000));

const JOB = { job_type: 'noop', model: 'noop' };
const LEASE = { worker_id: 'ann', boot_id: 'b', lease_limit: 1, offers: [JOB], wait_seconds: 30 };
const post = (path: string, body: unknown, signal?: AbortSignal) =>
  fetch(server.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    ...(signal === undefined ? {} : { signal }),
  });

it('A3: answers 413 to a body over the limit, with or without content-length, and keeps running', async () => {
  const large = { ...JOB, items: [{ id: 'a', payload: 'x'.repeat(3_000_000) }] };
  const declared = await post('/v1/jobs', large);
  expect([declared.status, ((await declared.json()) as { code: string }).code]).toEqual([
    413,
    'body_too_large',
  ]);
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: ReadableStream.from([Buffer.from(JSON.stringify(large))]),
    duplex: 'half',
  } as RequestInit;
  const streamed = await fetch(`${server.url}/v1/tasks/lease`, init);
  expect([streamed.status, ((await streamed.json()) as { code: string }).code]).toEqual([
    413,
    'body_too_large',
  ]);
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
});

it('A3: answers a large upload at its end with the reason why its second line was refused', async () => {
  const line = Buffer.from(`{"id":"b","payload":"${'x'.repeat(100_000)}"}\n`);
  async function* body() {
    yield Buffer.from(`${JSON.stringify(JOB)}\n{"id":"","payload":1}\n`);
    for (let n = 0; n < 1000; n += 1) yield line;
  }
  const refused = await fetch(`${server.url}/v1/jobs`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-ndjson' },
    body: ReadableStream.from(body()),
    duplex: 'half',
  } as RequestInit);
  expect(refused.status).toBe(400);
  expect(await refused.json()).toMatchObject({ line: 2 });
});

it('A3: stores nothing when the connection breaks during an upload', async () => {
  const before = await rowCounts(db.sql);
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.write(
    'POST /v1/jobs HTTP/1.1\r\nhost: x\r\ncontent-type: application/x-ndjson\r\ncontent-length: 10000000\r\n\r\n',
  );
  socket.write(`${JSON.stringify(JOB)}\n{"id":"a","payload":1}\n`);
  await until(async () => {
    const [row] =
      await db.sql`select count(*)::int as copying from pg_stat_activity where query like 'copy items%' and state = 'active'`;
    return row?.['copying'] === 1;
  });
  socket.destroy();
  await until(async () => {
    const [row] =
      await db.sql`select count(*)::int as open from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle'`;
    return row?.['open'] === 0;
  });
  expect(await rowCounts(db.sql)).toEqual(before);
  expect((await post('/v1/jobs', { ...JOB, items: [{ id: 'a', payload: 1 }] })).status).toBe(201);
});

it('A1: leaves no lease and charges no attempt when a worker disconnects while it waits', async () => {
  const disconnect = new AbortController();
  const waiting = post('/v1/tasks/lease', LEASE, disconnect.signal).catch(() => 'disconnected');
  await until(async () => {
    const [row] =
      await db.sql`select count(*)::int as asked from pg_stat_activity where application_name = 'macbatch-lease'`;
    return row?.['asked'] !== 0;
  });
  disconnect.abort();
  expect(await waiting).toBe('disconnected');
  const bob = post('/v1/tasks/lease', { ...LEASE, worker_id: 'bob' });
  await post('/v1/jobs', { ...JOB, items: [{ id: 'a', payload: 1 }] });
  expect(await (await bob).json()).toMatchObject({ tasks: [{ items: [{ item_id: 'a' }] }] });
  // If the lease was granted before the disconnect was detected, it was released immediately.
  expect(await db.sql`select assigned_worker, attempts - returns as charged from tasks`).toEqual([
    { assigned_worker: 'bob', charged: 1 },
  ]);
});

it('R1: reclaims an expired lease while all workers only wait', async () => {
  await post('/v1/jobs', { ...JOB, items: [{ id: 'a', payload: 1 }] });
  await post('/v1/tasks/lease', LEASE);
  const bob = post('/v1/tasks/lease', { ...LEASE, worker_id: 'bob' });
  await makeLeasesPass(db.sql);
  expect(await (await bob).json()).toMatchObject({ tasks: [{ attempt: 2 }] });
  expect(errors.filter((error) => !/aborted|terminated|reset|hang up/i.test(error.message))).toEqual([]);
});
