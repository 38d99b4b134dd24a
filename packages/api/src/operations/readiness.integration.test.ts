import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { createStore } from '@macbatch/store';
import { freshStore } from '@macbatch/store/testing';
import { expect, it, onTestFinished } from 'vitest';
import { createApp } from '../app.ts';

let now = 0;
const monotonicMs = () => now;

/** An app that requires keys. */
function appOn(url: string) {
  const store = createStore({ url });
  onTestFinished(() => store.close());
  const app = createApp({ store, monotonicMs });
  return async () => {
    now += 2000; // an answer is cached for a second
    const response = await app.request('/readyz');
    return {
      status: response.status,
      type: response.headers.get('content-type'),
      body: await response.json(),
    };
  };
}

const refused = (detail: RegExp, code = 'not_ready') => ({
  status: 503,
  type: 'application/problem+json',
  body: { status: 503, code, detail: expect.stringMatching(detail) },
});

it('reports ready without a key while the database has exactly its migrations', async () => {
  await using fresh = await freshStore();
  const ready = appOn(fresh.url);
  expect(await ready()).toMatchObject({ status: 200, body: { ok: true } });
  await fresh.sql`insert into drizzle.__drizzle_migrations (hash, created_at) values ('of the future', 9999999999999)`;
  expect(await ready()).toMatchObject(refused(/1 migrations that this version does not know.*Upgrade this/));
  await fresh.sql`delete from drizzle.__drizzle_migrations where hash = 'of the future'`;
  expect(await ready()).toMatchObject({ status: 200 });
  await fresh.sql`delete from drizzle.__drizzle_migrations where id = (select max(id) from drizzle.__drizzle_migrations)`;
  expect(await ready()).toMatchObject(refused(/lacks 1 migrations of this version.*Restart this/));
  await fresh.sql`drop schema drizzle cascade`;
  expect(await ready()).toMatchObject(refused(/lacks \d+ migrations/));
});

it('reports not ready, but healthy, while the database refuses connections or does not answer', async () => {
  const withoutDatabase = appOn('postgres://somebody:hunter2@127.0.0.1:1/none');
  const answer = await withoutDatabase();
  expect(answer).toMatchObject(refused(/^The database does not answer\.$/, 'database_unavailable'));
  expect(JSON.stringify(answer)).not.toMatch(/hunter2|127\.0\.0\.1|somebody/);

  const silent = createServer(() => undefined).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  onTestFinished(() => void silent.close());
  const { port } = silent.address() as AddressInfo;
  const url = `postgres://somebody:hunter2@127.0.0.1:${port}/none`;
  expect(await appOn(url)()).toMatchObject(refused(/has not answered for/, 'database_unavailable'));
  const store = createStore({ url });
  onTestFinished(() => store.close());
  expect((await createApp({ store }).request('/healthz')).status).toBe(200);
});

it('asks the database at most once a second for any number of requests', async () => {
  await using fresh = await freshStore();
  let asked = 0;
  const counted = {
    ...fresh.store,
    schemaState() {
      asked += 1;
      return fresh.store.schemaState();
    },
  };
  const app = createApp({ store: counted, monotonicMs });
  const all = await Promise.all(Array.from({ length: 20 }, () => app.request('/readyz')));
  expect(all.map(({ status }) => status)).toEqual(all.map(() => 200));
  expect(asked).toBe(1);
  now += 1500;
  await app.request('/readyz');
  expect(asked).toBe(2);
});
