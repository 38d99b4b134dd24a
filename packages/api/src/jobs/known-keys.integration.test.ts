import { itemKey } from '@macbatch/core';
import { expect, it } from 'vitest';
import { completed, fileApp, JOB, LEASE } from '../testing/file-app.ts';
import { bearing, keyFor } from '../testing/keyed-app.ts';

const control = fileApp({ open: false });

const keyOf = (payload: string) =>
  itemKey({ jobType: 'noop', model: 'noop', params: '{"t":1}' }, payload) ?? '';

it('I2: counts the keys with an output in the ledger of the own group', async () => {
  const { store } = control.db;
  const lab = bearing(await keyFor(store, 'submit', { group: 'lab' }));
  const other = bearing(await keyFor(store, 'submit', { group: 'other' }));
  const worker = bearing(await keyFor(store, 'worker'));
  const items = ['{"a":1}', '{"a":2}', '{"a":3}'].map((payload, n) => ({
    id: `i${n}`,
    payload: JSON.parse(payload),
  }));
  const job = { ...JOB, params: { t: 1 }, reuse: 'ledger', shard_size: 1, items };
  expect((await control.send('POST', '/v1/jobs', job, lab)).status).toBe(201);
  const leased = await control.send('POST', '/v1/tasks/lease', LEASE, worker);
  const { tasks } = (await leased.json()) as { readonly tasks: Parameters<typeof completed>[0][] };
  const [first, second] = tasks;
  if (first === undefined || second === undefined) throw new Error('two tasks are leased');
  const failed = [{ item_id: 'i1', error: { code: 'bad', message: 'bad' } }];
  const entries = [completed(first), { ...completed(second), outcomes: failed }];
  await control.send('POST', '/v1/tasks/complete_batch', { worker_id: 'ann', entries }, worker);

  const known = async (headers: Record<string, string>, ...payloads: readonly string[]) => {
    const reply = await control.send('POST', '/v1/ledger/count', { keys: payloads.map(keyOf) }, headers);
    return (await reply.json()) as unknown;
  };
  expect(await known(lab, '{"a":1}', '{"a":2}', '{"a":3}', '{"a":4}')).toEqual({ known: 1 });
  expect(await known(other, '{"a":1}')).toEqual({ known: 0 });
});
