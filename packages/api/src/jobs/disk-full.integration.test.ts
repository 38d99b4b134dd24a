import { freshStore, rowCounts, submitJob } from '@macbatch/store/testing';
import { expect, it } from 'vitest';
import { createApp } from '../app.ts';

const submission = JSON.stringify({ job_type: 'noop', model: 'noop', items: [{ id: 'a', payload: 1 }] });

it('A3: refuses a submission whole when the database disk is full, and accepts it once there is space', async () => {
  await using fresh = await freshStore();
  await submitJob(fresh.store, { items: 1 });
  const app = createApp({ store: fresh.store, open: true });
  const submit = () =>
    app.request('/v1/jobs', {
      method: 'POST',
      body: submission,
      headers: { 'content-type': 'application/json' },
    });
  // Postgres raises this error when it cannot extend a file in the middle of a transaction.
  await fresh.sql.unsafe(`
    create function no_room() returns trigger language plpgsql as $$
    begin raise exception 'could not extend file: No space left on device' using errcode = 'disk_full'; end $$;
    create trigger no_room before insert on tasks execute function no_room()`);
  const before = await rowCounts(fresh.sql);
  const refused = await submit();
  expect(refused.status).toBe(507);
  expect(await refused.json()).toMatchObject({
    code: 'database_full',
    detail: expect.stringContaining('Free some disk space'),
  });
  expect(await rowCounts(fresh.sql)).toEqual(before);
  await fresh.sql`drop trigger no_room on tasks`;
  expect((await submit()).status).toBe(201);
});

it('refuses submissions when the disk is nearly full, also in the middle of one', async () => {
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
