import type { Item } from '@macbatch/core';
import { expect, it } from 'vitest';
import { completion, leaseOne, sharedStore, success } from '../testing/index.ts';

const db = sharedStore();

const TEXTS = [
  '"\\u0000"',
  '"\\ud800"',
  '1e400',
  '-0',
  '9223372036854775808',
  '9007199254740993',
  '1.10',
  '{"b":1,"a":2,"b":3}',
  `${'[{"a":'.repeat(15)}1${'}]'.repeat(15)}`,
  '{ "spaces" :\t[ 1 ,2 ] }',
  '"\u2028 \u2029 \u0085 \ufeff"',
  '"👩🏽‍💻 \u202eright to left\u202c"',
  '"\\\\ \\" NULL {} , \\n"',
  'null',
  'NULL'.toLowerCase(),
  '""',
  `"${'é'.repeat(2_500_000)}"`,
];
const IDS = [
  'NULL',
  'null',
  '{}',
  '{a,b}',
  '\\',
  '"',
  "'",
  '\\N',
  '\\.',
  '\t',
  '\n',
  ' ',
  '👩🏽‍💻',
  '\u202eabc',
  '\u2028',
  'é',
  'e\u0301',
];

it('I7: payloads, outputs, item ids and errors come back byte for byte', async () => {
  async function* items(): AsyncGenerator<Item, void, undefined> {
    for (const [n, payload] of TEXTS.entries()) yield { id: IDS[n] ?? `item-${n}`, payload };
  }
  const reply = await db.store.submit(
    {
      jobType: 'noop',
      model: 'noop',
      params: '{"z":1e400,"a":"\\u0000"}',
      shardSize: 100,
      retryOn: 'attempts',
      idempotencyKey: null,
    },
    items(),
    () => '',
  );
  if (reply.outcome !== 'created') throw new Error(reply.outcome);
  const task = await leaseOne(db.store, 'ann');
  expect(task.params).toBe('{"z":1e400,"a":"\\u0000"}');
  expect(task.items).toEqual(TEXTS.map((payload, n) => ({ itemId: IDS[n], payload })));
  const outcomes = task.items.map(({ itemId, payload }) => success(itemId, payload));
  expect(await db.store.report('ann', [{ ...completion(task), outcomes }])).toEqual([
    { outcome: 'accepted', status: 'done' },
  ]);
  const read: (string | null)[][] = [];
  for await (const page of db.store.results(reply.jobId, { itemCount: TEXTS.length })) {
    for (const { itemId, output } of page) read.push([itemId, output]);
  }
  expect(read).toEqual(TEXTS.map((text, n) => [IDS[n], text]));
  for (const [n, id] of IDS.entries()) {
    expect((await db.store.resultOf(reply.jobId, id))?.output).toBe(TEXTS[n]);
  }
});
