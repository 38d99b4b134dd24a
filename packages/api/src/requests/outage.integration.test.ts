import { freshStore } from '@macbatch/store/testing';
import { expect, it } from 'vitest';
import { createApp } from '../app.ts';

it('answers 503 when the database does not answer in time', async () => {
  await using fresh = await freshStore({ statementMs: 300 });
  const errors: Error[] = [];
  const app = createApp({ store: fresh.store, open: true, onError: (error) => errors.push(error) });
  const lock = await fresh.sql.reserve();
  await lock`begin`;
  await lock`lock table jobs in access exclusive mode`;
  const refused = await app.request('/v1/jobs');
  expect(refused.status).toBe(503);
  expect(await refused.json()).toMatchObject({ code: 'database_unavailable' });
  await lock`rollback`;
  lock.release();
  expect((await app.request('/v1/jobs')).status).toBe(200);
  expect(errors).toHaveLength(1);
});
