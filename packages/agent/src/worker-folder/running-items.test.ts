import { join } from 'node:path';
import { testFolder } from '@macbatch/testing';
import { expect, it } from 'vitest';
import { RunningItems } from './running-items.ts';

/** Opens the notes in a folder, as each process of a worker does. */
function folder() {
  const path = testFolder();
  return () => RunningItems.open(join(path, 'running.jsonl'), join(path, 'crashed.json'));
}
const item = (item_id: string, alone = false) => ({ task_id: '7', item_id, alone });

it('lists the items that were running when the process died, without the ended ones', async () => {
  const open = folder();
  const first = await open();
  first.started(1, item('a'));
  first.started(2, item('b'));
  first.started(3, item('c'));
  first.ended(2);
  expect((await open()).crashed).toEqual([
    { task_id: '7', item_id: 'a', crashes_alone: 0 },
    { task_id: '7', item_id: 'c', crashes_alone: 0 },
  ]);
});

it('counts the crashes of an item that ran alone, over several processes', async () => {
  const open = folder();
  for (const alone of [false, true, true]) (await open()).started(1, item('a', alone));
  expect((await open()).crashed).toEqual([{ task_id: '7', item_id: 'a', crashes_alone: 2 }]);
});

it('forgets an item with an outcome permanently', async () => {
  const open = folder();
  (await open()).started(1, item('a'));
  const next = await open();
  await next.forget('7', 'a');
  expect([next.crashed, (await open()).crashed]).toEqual([[], []]);
});

it('remembers nothing after all items have ended, and keeps its file small', async () => {
  const open = folder();
  const first = await open();
  first.started(1, item('long'));
  for (let run = 2; run < 10_000; run += 1) {
    first.started(run, item(`i${run}`));
    first.ended(run);
  }
  expect((await open()).crashed).toMatchObject([{ item_id: 'long' }]);
  const second = await open();
  second.started(1, item('a'));
  second.ended(1);
  expect((await open()).crashed).toMatchObject([{ item_id: 'long' }]);
});
