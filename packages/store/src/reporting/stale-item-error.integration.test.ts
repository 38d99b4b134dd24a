import { describe, expect, it } from 'vitest';
import { copyStore, item } from '../testing/copy-store.ts';
import { audit, itemError, leaseOne, makeLeasesPass, submitJob, success } from '../testing/index.ts';

const { db, copyFor, leasedToAnn } = copyStore();

const entryOf = (task: { taskId: string; attempt: number }, ...outcomes: ReturnType<typeof success>[]) => ({
  taskId: task.taskId,
  attempt: task.attempt,
  outcomes,
  final: false,
  error: null,
});
const events = () =>
  db.sql`select kind, worker_id, attempt, detail from events where kind = 'stale_item_error'`;
const recorded = () =>
  db.sql`select items.item_id, results.error is null as ok from results join items using (job_id, seq) order by seq`;

/** A task that bob holds after ann's lease has expired. */
async function takenOver() {
  const id = await submitJob(db.store, { items: 2, shardSize: 2 });
  const stale = await leaseOne(db.store, 'ann');
  await makeLeasesPass(db.sql);
  await db.store.reclaim({ force: true });
  return { id, stale, held: await leaseOne(db.store, 'bob') };
}

describe('an item error from a lease that no longer holds', () => {
  it('T10: changes nothing, and the holder’s result is recorded', async () => {
    const { id, stale, held } = await takenOver();
    const verdicts = await db.store.report('ann', [entryOf(stale, itemError(item(0)))]);
    expect(verdicts).toEqual([{ outcome: 'accepted', status: 'leased', code: 'lease_lost' }]);
    expect(await db.store.report('bob', [entryOf(held, success(item(0)), success(item(1)))])).toMatchObject([
      { outcome: 'accepted', status: 'done' },
    ]);
    expect((await db.store.readJob(id))?.items).toMatchObject({ ok: 2, error: 0 });
    expect(await audit(db.url)).toEqual([]);
  });

  it('T10: counts as brought for a final entry, whose results stay', async () => {
    const { stale } = await takenOver();
    const entry = { ...entryOf(stale, itemError(item(0)), success(item(1))), final: true };
    expect(await db.store.report('ann', [entry])).toEqual([
      { outcome: 'accepted', status: 'leased', code: 'lease_lost' },
    ]);
    expect(await recorded()).toEqual([{ item_id: 'item-1', ok: true }]);
  });

  it('T10: is recorded as one event per entry, with the first error', async () => {
    const { stale } = await takenOver();
    await db.store.report('ann', [entryOf(stale, itemError(item(0), 'too "long"'), itemError(item(1)))]);
    const [event, ...others] = await events();
    expect(others).toEqual([]);
    expect(event).toMatchObject({ worker_id: 'ann', attempt: 1 });
    expect(JSON.parse(event?.['detail'])).toEqual({
      items: 2,
      item_id: 'item-0',
      error: { code: 'too_long', message: 'too "long"' },
    });
  });

  it('T10: is no event for an item that has an outcome already', async () => {
    const { stale, held } = await takenOver();
    await db.store.report('bob', [entryOf(held, success(item(0)))]);
    expect(await db.store.report('ann', [entryOf(stale, itemError(item(0)))])).toEqual([
      { outcome: 'accepted', status: 'leased' },
    ]);
    expect(await events()).toEqual([]);
    expect(await recorded()).toEqual([{ item_id: 'item-0', ok: true }]);
  });

  it('T10, T14: is recorded while the lapsed lease may still be resumed', async () => {
    await submitJob(db.store, { items: 2, shardSize: 2 });
    const task = await leaseOne(db.store, 'ann');
    await makeLeasesPass(db.sql);
    await db.store.reclaim({ force: true });
    expect(await db.store.report('ann', [entryOf(task, itemError(item(0)))])).toEqual([
      { outcome: 'accepted', status: 'pending' },
    ]);
    expect(await recorded()).toEqual([{ item_id: 'item-0', ok: false }]);
    expect(await audit(db.url)).toEqual([]);
  });
});

describe('an item error of a copy', () => {
  it('T10: ends the copy as failed, charges no attempt and leaves the item to the holder', async () => {
    const { task } = await leasedToAnn(10);
    const copy = await copyFor('bob');
    const [failed, ...others] = copy.items;
    const entry = entryOf(copy, itemError(failed?.itemId ?? ''), success(others[0]?.itemId ?? ''));
    expect(await db.store.report('bob', [entry])).toMatchObject([
      { outcome: 'accepted', status: 'leased', code: 'lease_lost' },
    ]);
    expect(await db.sql`select ended from copies`).toEqual([{ ended: 'failed' }]);
    const [row] = await db.sql`
      select sum(items_error)::int as errors, sum(items_ok)::int as ok, sum(task_errors)::int as task_errors from job_tallies`;
    expect(row).toEqual({ errors: 0, ok: 1, task_errors: 0 });
    expect(await events()).toMatchObject([{ worker_id: 'bob', attempt: task.attempt }]);
    // The holder's own error counts.
    await db.store.report('ann', [entryOf(task, itemError(failed?.itemId ?? ''))]);
    expect(await recorded()).toContainEqual({ item_id: failed?.itemId, ok: false });
    expect(await audit(db.url)).toEqual([]);
  });
});
