import { expect, it } from 'vitest';
import { fileStore, leaseTasks, submitJob, success } from '../testing/index.ts';

const db = fileStore();

it('T4: an item whose outcome was recorded before its task was leased is not handed out, at whatever moment it came', async () => {
  const items = 400;
  await submitJob(db.store, { items, shardSize: items });
  let [late] = await leaseTasks(db.store, 'ann');
  let before = 0;
  for (let n = 0; n < items - 1; n += 1) {
    if (late === undefined) throw new Error('the task was not given out');
    const { taskId, attempt } = late;
    const holder = n === 0 ? 'ann' : 'bob';
    await db.store.release(holder, [late]);
    const outcomes = [success(`item-${n}`)];
    const [[verdict], [task]] = await Promise.all([
      db.store.report(holder, [{ taskId, attempt, outcomes, final: false, error: null }]),
      leaseTasks(db.store, 'bob'),
    ]);
    const given = task ?? (await leaseTasks(db.store, 'bob'))[0];
    if (verdict?.status === 'pending') {
      before += 1;
      expect(given?.items.map(({ itemId }) => itemId)).not.toContain(`item-${n}`);
    }
    late = given;
  }
  // There were races that the report won; without any this would prove nothing.
  expect(before).toBeGreaterThan(10);
});
