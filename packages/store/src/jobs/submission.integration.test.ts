import type { Item } from '@macbatch/core';
import { expect, it } from 'vitest';
import { leaseTasks, numberedItems, rowCounts, sharedStore } from '../testing/index.ts';

const db = sharedStore();

const draft = (idempotencyKey: string | null = null) =>
  ({
    jobType: 'noop',
    model: 'noop',
    params: '{}',
    shardSize: 10,
    retryOn: 'attempts',
    idempotencyKey,
  }) as const;

async function* named(...ids: string[]): AsyncGenerator<Item, void, undefined> {
  for (const id of ids) yield { id, payload: '1' };
}

it('A3: a submission rethrows an error of the item source and stores nothing', async () => {
  const before = await rowCounts(db.sql);
  const broken = new Error('line 5001 is not JSON');
  async function* items(): AsyncGenerator<Item, void, undefined> {
    yield* numberedItems(5000);
    throw broken;
  }
  await expect(db.store.submit(draft(), items(), () => '')).rejects.toBe(broken);
  expect(await rowCounts(db.sql)).toEqual(before);
});

it('A3: a submission stores nothing when the connection breaks, and the next one works', async () => {
  const before = await rowCounts(db.sql);
  async function* items(): AsyncGenerator<Item, void, undefined> {
    for await (const item of numberedItems(20_000)) {
      if (item.id === 'item-10000') {
        await db.sql`select pg_terminate_backend(pid) from pg_stat_activity where query like 'copy items%' and pid <> pg_backend_pid()`;
      }
      yield item;
    }
  }
  await expect(db.store.submit(draft(), items(), () => '')).rejects.toThrow();
  expect(await rowCounts(db.sql)).toEqual(before);
  expect(await db.store.submit(draft(), numberedItems(3), () => '')).toMatchObject({ outcome: 'created' });
});

it('A3: a repeated item id is refused with the earliest pair of positions', async () => {
  const before = await rowCounts(db.sql);
  const reply = await db.store.submit(draft(), named('a', 'b', 'c', 'c', 'a', 'c'), () => '');
  expect(reply).toEqual({ outcome: 'duplicate_item_id', itemId: 'c', first: 2, second: 3 });
  expect(await rowCounts(db.sql)).toEqual(before);
});

it('A3: a job without items is refused', async () => {
  expect(await db.store.submit(draft('key'), named(), () => '')).toEqual({ outcome: 'no_items' });
  expect(await rowCounts(db.sql)).toMatchObject({ jobs: 0, job_tallies: 0 });
});

it('I6: the same submission under the same key returns the existing job', async () => {
  const first = await db.store.submit(draft('key'), named('a'), () => 'digest');
  expect(first.outcome).toBe('created');
  const again = await db.store.submit(draft('key'), named('a'), () => 'digest');
  expect(again).toEqual({ ...first, outcome: 'existing' });
  expect(await rowCounts(db.sql)).toMatchObject({ jobs: 1, items: 1, tasks: 1 });
});

it('I6: another submission under a used key is refused after its items are read', async () => {
  const first = await db.store.submit(draft('key'), named('a'), () => 'digest');
  let read = 0;
  async function* items() {
    for await (const item of named('b', 'c')) {
      read += 1;
      yield item;
    }
  }
  const other = await db.store.submit(draft('key'), items(), () => 'another');
  expect(other).toEqual({ ...first, outcome: 'key_reused' });
  expect(read).toBe(2);
});

it('I6: several concurrent submissions under one key create one job', async () => {
  const replies = await Promise.all(
    [1, 2, 3, 4].map(() => db.store.submit(draft('key'), numberedItems(50), () => 'digest')),
  );
  expect(replies.map(({ outcome }) => outcome).toSorted()).toEqual([
    'created',
    'existing',
    'existing',
    'existing',
  ]);
  expect(new Set(replies.map((reply) => 'jobId' in reply && reply.jobId)).size).toBe(1);
  expect(await rowCounts(db.sql)).toMatchObject({ jobs: 1, items: 50, tasks: 5, job_tallies: 1 });
});

it('I6: a waiting submission gets the key when the first one fails', async () => {
  let release = () => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  let started = () => {};
  const inside = new Promise<void>((resolve) => {
    started = resolve;
  });
  async function* failing(): AsyncGenerator<Item, void, undefined> {
    started();
    yield { id: 'a', payload: '1' };
    await gate;
    throw new Error('broken off');
  }
  const first = db.store.submit(draft('key'), failing(), () => 'digest');
  await inside;
  const second = db.store.submit(draft('key'), named('a'), () => 'digest');
  release();
  await expect(first).rejects.toThrow('broken off');
  expect(await second).toMatchObject({ outcome: 'created' });
});

it('I1: a submission cuts its items into tasks in order, the last one shorter', async () => {
  await db.store.submit({ ...draft(), shardSize: 4 }, numberedItems(10), () => '');
  expect(await db.sql`select first_seq, item_count from tasks order by id`).toEqual([
    { first_seq: 0, item_count: 4 },
    { first_seq: 4, item_count: 4 },
    { first_seq: 8, item_count: 2 },
  ]);
  const tasks = await leaseTasks(db.store, 'ann', 3);
  expect(tasks.flatMap(({ items }) => items.map(({ itemId }) => itemId))).toEqual(
    Array.from({ length: 10 }, (_, n) => `item-${n}`),
  );
});

it('A2: a submission streams 100,000 items without keeping them in memory', async () => {
  async function* large(): AsyncGenerator<Item, void, undefined> {
    const payload = `"${'x'.repeat(4000)}"`;
    for (let n = 0; n < 100_000; n += 1) yield { id: `item-${n}`, payload };
  }
  await db.store.submit(draft(), numberedItems(1000), () => ''); // allocates buffers and compiles the code first
  const before = process.memoryUsage().rss;
  await db.store.submit(draft(), large(), () => '');
  expect(process.memoryUsage().rss - before).toBeLessThan(150 * 1024 * 1024); // the items are 400 MB
});
