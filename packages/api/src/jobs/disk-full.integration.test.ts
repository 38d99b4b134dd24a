import { freshStore, rowCounts, submitJob } from '@macbatch/store/testing';
import { expect, it } from 'vitest';
import { createApp } from '../app.ts';

const submission = JSON.stringify({ job_type: 'noop', model: 'noop', items: [{ id: 'a', payload: 1 }] });

it('A3: a database whose disk is full refuses a submission whole, says so, and takes it once there is room', async () => {
  await using fresh = await freshStore();
  await submitJob(fresh.store, { items: 1 });
  const app = createApp({ store: fresh.store, open: true });
  const submit = () =>
    app.request('/v1/jobs', {
      method: 'POST',
      body: submission,
      headers: { 'content-type': 'application/json' },
    });
  // What Postgres raises when it can't extend a file, in the middle of the transaction.
  await fresh.sql.unsafe(`
    create function no_room() returns trigger language plpgsql as $$
    begin raise exception 'could not extend file: No space left on device' using errcode = 'disk_full'; end $$;
    create trigger no_room before insert on tasks execute function no_room()`);
  const before = await rowCounts(fresh.sql);
  const refused = await submit();
  expect(refused.status).toBe(507);
  expect(await refused.json()).toMatchObject({
    code: 'database_full',
    detail: expect.stringContaining('Make room'),
  });
  expect(await rowCounts(fresh.sql)).toEqual(before);
  await fresh.sql`drop trigger no_room on tasks`;
  expect((await submit()).status).toBe(201);
});

it('a disk that is nearly full takes no submission, and notices while one comes in', async () => {
  await using fresh = await freshStore();
  let looks = 0;
  const app = createApp({
    store: fresh.store,
    open: true,
    hasRoom: async () => {
      looks += 1;
      return looks < 2;
    },
  });
  const line = '{"job_type":"noop","model":"noop"}\n';
  const chunk = (from: number) =>
    Array.from({ length: 10_000 }, (_, n) => `{"id":"${from + n}","payload":1}\n`).join('');
  const refused = await app.request('/v1/jobs', {
    method: 'POST',
    body: ReadableStream.from(
      [line, chunk(0), chunk(10_000), chunk(20_000)].map((text) => Buffer.from(text)),
    ),
    duplex: 'half',
    headers: { 'content-type': 'application/x-ndjson' },
  } as RequestInit);
  expect(refused.status).toBe(507);
  expect(await refused.json()).toMatchObject({ code: 'database_full' });
  expect(looks).toBe(2);
  const [kept] = await fresh.sql`select (select count(*) from jobs) + (select count(*) from items) as rows`;
  expect(kept).toEqual({ rows: '0' });
});
