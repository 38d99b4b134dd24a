import { expect, it } from 'vitest';
import { leaseTasks, sharedStore, submitJob, success } from '../testing/index.ts';

const db = sharedStore();

it('T4: a claim never leases an item whose outcome was recorded before its task was locked', async () => {
  const items = 400;
  await submitJob(db.store, { items, shardSize: items });
  let [leased] = await leaseTasks(db.store, 'ann');
  let reportsFirst = 0;
  for (let n = 0; n < items - 1; n += 1) {
    if (leased === undefined) throw new Error('The task was not leased.');
    const { taskId, attempt } = leased;
    const holder = n === 0 ? 'ann' : 'bob';
    await db.store.release(holder, [leased]);
    const outcomes = [success(`item-${n}`)];
    const [[verdict], [task]] = await Promise.all([
      db.store.report(holder, [{ taskId, attempt, outcomes, final: false, error: null }]),
      leaseTasks(db.store, 'bob'),
    ]);
    const next = task ?? (await leaseTasks(db.store, 'bob'))[0];
    if (verdict?.status === 'pending') {
      reportsFirst += 1;
      expect(next?.items.map(({ itemId }) => itemId)).not.toContain(`item-${n}`);
    }
    leased = next;
  }
  // The test proves something only when the report won some of the races.
  expect(reportsFirst).toBeGreaterThan(10);
});
