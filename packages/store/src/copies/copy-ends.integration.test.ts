import { MAX_EXPIRIES_FOR_COPIES } from '@macbatch/core';
import { describe, expect, it } from 'vitest';
import { copyStore, idsOf, item } from '../testing/copy-store.ts';
import { completion, failure, makeLeasesPass, waitForBlockedSession } from '../testing/index.ts';

/** The task of `leasedToAnn`, unchanged by copies. */
const HELD_BY_ANN = { status: 'leased', attempts: 1, expiries: 0, assigned_worker: 'ann' };

const { db, lease, report, expireCopies, taskRow, leasedToAnn, copyFor } = copyStore();

describe('results of a copy', () => {
  it('T7: keeps the first outcome of each item, from the holder or from the copy', async () => {
    const { id, task } = await leasedToAnn(4);
    const copy = await copyFor('bob', { rate: 100 });
    expect(idsOf([copy])).toEqual([3, 2].map(item));
    await report('bob', copy, 3);
    const [answer] = await db.store.report('ann', [completion(task, '{"by":"ann"}')]);
    expect(answer).toMatchObject({ outcome: 'accepted', status: 'done' });
    expect(await report('bob', copy, 2)).toMatchObject([{ outcome: 'superseded', status: 'done' }]);
    expect(await db.store.readJob(id)).toMatchObject({ state: 'done', items: { ok: 4 }, leasesGranted: 1 });
    const [, , two, three] = await db.sql<{ output: string }[]>`select output from results order by seq`;
    expect([two?.output, three?.output]).toEqual(['{"by":"ann"}', '{"ok":true}']);
  });

  it('T7: finishes the task when the holder never reports', async () => {
    const { id, task } = await leasedToAnn(2);
    await report('ann', task, 0);
    await db.sql`update job_tallies set last_at = now() - interval '1 hour'`; // ann is overdue
    const copy = await copyFor('bob');
    expect(await report('bob', copy, 1)).toMatchObject([{ outcome: 'accepted', status: 'done' }]);
    expect(await db.store.readJob(id)).toMatchObject({ state: 'done', items: { ok: 2 } });
    expect(await taskRow(task)).toMatchObject({ assigned_worker: 'bob' });
  });

  it('T9: accepts results of an expired copy, and refuses those of a worker without a copy', async () => {
    await leasedToAnn(4);
    const copy = await copyFor('bob');
    await expireCopies();
    expect(await report('bob', copy, 3)).toMatchObject([{ outcome: 'accepted' }]);
    expect(await report('eve', copy, 2)).toMatchObject([{ outcome: 'refused', code: 'not_leased' }]);
  });

  it('lists the items that another worker has finished in the answers to reports and renewals', async () => {
    const { task } = await leasedToAnn(6);
    const copy = await copyFor('bob');
    await report('bob', copy, 5, 4);
    expect(await report('ann', task, 0)).toMatchObject([{ recordedElsewhere: [item(4), item(5)] }]);
    expect(await db.store.renew('ann', 'boot-of-ann', [task])).toEqual([
      { refusal: null, recordedElsewhere: [item(4), item(5)] },
    ]);
    await report('ann', task, 3);
    expect(await db.store.renew('bob', 'boot-of-bob', [copy])).toEqual([
      { refusal: null, recordedElsewhere: [3, 4, 5].map(item) },
    ]);
  });
});

describe('a copy that does not finish', () => {
  it('T10: leaves failed items to the holder, charges no attempt, and excludes them from copies', async () => {
    const { task } = await leasedToAnn(4);
    const copy = await copyFor('bob');
    expect(await db.store.report('bob', [failure(copy)])).toMatchObject([
      { outcome: 'refused', code: 'lease_lost' },
    ]);
    expect(await taskRow(task)).toEqual(HELD_BY_ANN);
    expect(idsOf(await lease('cem'))).toEqual([1, 0].map(item));
  });

  it('leaves released items to the holder and lets them be copied again', async () => {
    const { task } = await leasedToAnn(4);
    const copy = await copyFor('bob');
    expect(await db.store.release('bob', [copy])).toEqual([null]);
    expect(await taskRow(task)).toEqual(HELD_BY_ANN);
    expect(idsOf(await lease('cem'))).toEqual([3, 2].map(item));
  });

  it('W8: is released when the worker’s former boot is released', async () => {
    await leasedToAnn(4);
    await copyFor('bob', { boot: 'before' });
    await db.store.releaseBoots('bob', ['before']);
    expect(idsOf(await lease('bob', { boot: 'after' }))).toEqual([3, 2].map(item));
  });

  it('is extended by a renewal, which does not extend the holder’s lease', async () => {
    const { task } = await leasedToAnn(4);
    const copy = await copyFor('bob');
    await db.sql`update copies set lease_until = now() + interval '1 second'`;
    await db.sql`update tasks set lease_until = now() + interval '1 second'`;
    expect(await db.store.renew('bob', 'boot-of-bob', [copy])).toMatchObject([{ refusal: null }]);
    const [copied] = await db.sql<
      { extended: boolean }[]
    >`select lease_until > now() + interval '1 minute' as extended from copies`;
    const [held] = await db.sql<
      { extended: boolean }[]
    >`select lease_until > now() + interval '1 minute' as extended from tasks`;
    expect([copied?.extended, held?.extended]).toEqual([true, false]);
    expect(await db.store.renew('eve', 'boot-of-eve', [copy])).toMatchObject([{ refusal: 'lease_lost' }]);
    await report('ann', task, 0, 1, 2, 3);
    expect(await db.store.renew('bob', 'boot-of-bob', [copy])).toMatchObject([{ refusal: 'already_done' }]);
  });
});

describe('an expired copy', () => {
  it('T11: counts as an expiry of the task, and its items can be copied again', async () => {
    const { task } = await leasedToAnn(4);
    await copyFor('bob');
    await expireCopies();
    expect(await taskRow(task)).toEqual({ ...HELD_BY_ANN, expiries: 1 });
    expect(idsOf(await lease('cem'))).toEqual([3, 2].map(item));
    const kinds = await db.sql<{ kind: string; worker_id: string }[]>`select kind, worker_id from events`;
    expect([...kinds]).toEqual([{ kind: 'copy_lost', worker_id: 'bob' }]);
  });

  it('T11: is not followed by another copy when the task has reached the limit of expiries for copies', async () => {
    const { task } = await leasedToAnn(4);
    for (let n = 0; n < MAX_EXPIRIES_FOR_COPIES; n += 1) {
      await copyFor('bob');
      await expireCopies();
    }
    expect(await lease('bob')).toEqual([]);
    expect(await taskRow(task)).toMatchObject({ expiries: MAX_EXPIRIES_FOR_COPIES });
  });

  it('counts no expiry of the task when all its items have outcomes', async () => {
    const { task } = await leasedToAnn(4);
    const copy = await copyFor('bob');
    await report('bob', copy, 3);
    await report('ann', task, 2);
    await expireCopies();
    expect(await taskRow(task)).toMatchObject({ status: 'leased', expiries: 0 });
  });

  it('is recorded as released, not lost, when its worker releases it at the same time', async () => {
    await leasedToAnn(4);
    const copy = await copyFor('bob');
    await db.sql`update copies set lease_until = now() - interval '1 hour'`;
    const releasing = await db.sql.reserve();
    await releasing`begin`;
    // The first half of a release: it has locked the task and not yet changed the copy.
    await releasing`select from tasks where id = ${copy.taskId} for no key update`;
    const reclaimed = db.store.reclaim({ force: true });
    await Promise.race([reclaimed, waitForBlockedSession(db.sql)]);
    await releasing`update copies set ended = 'returned' where task_id = ${copy.taskId}`;
    await releasing`commit`;
    releasing.release();
    expect(await reclaimed).toMatchObject({ reclaimed: 0, failed: 0 });
    await db.store.reclaim({ force: true });
    expect([...(await db.sql`select ended from copies`)]).toEqual([{ ended: 'returned' }]);
    expect([...(await db.sql`select kind from events`)]).toEqual([]);
  });

  it('does not prevent the lease from expiring or the task from being leased again', async () => {
    const { task } = await leasedToAnn(4);
    await copyFor('bob');
    await makeLeasesPass(db.sql);
    expect(await db.store.reclaim({ force: true })).toMatchObject({ reclaimed: 1 });
    expect(await lease('cem')).toMatchObject([{ taskId: task.taskId, attempt: 2, copy: false }]);
  });
});

it('excludes failed copies and suspects from copies for an hour', async () => {
  const { task } = await leasedToAnn(4);
  await db.store.excludeFromCopies('ann', [{ taskId: task.taskId, attempt: task.attempt, itemId: item(3) }]);
  const copy = await copyFor('bob', { slots: 2 });
  expect(idsOf([copy])).toEqual([2, 1].map(item));
  await db.store.report('bob', [failure(copy)]);
  const copiesAfter = async (minutes: number) => {
    await db.sql`update copies set copied_at = now() - ${minutes}::float8 * interval '1 minute'`;
    await db.sql`update job_tallies set last_at = now() - interval '1 hour'`; // ann is overdue
    return lease('cem', { slots: 4 });
  };
  expect(idsOf(await copiesAfter(59))).toEqual([item(0)]);
  await db.sql`delete from copies where worker_id = 'cem'`;
  expect(idsOf(await copiesAfter(61))).toEqual([3, 2, 1, 0].map(item));
});

it('excludes a suspect from copies only when the holder of the lease names it', async () => {
  const { task } = await leasedToAnn(4);
  const suspect = (n: number) => ({ taskId: task.taskId, attempt: task.attempt, itemId: item(n) });
  await db.store.excludeFromCopies('ann', [suspect(3), suspect(3)]);
  await db.store.excludeFromCopies('eve', [suspect(2)]);
  await db.store.excludeFromCopies('ann', [
    { ...suspect(1), attempt: 7 },
    { ...suspect(0), itemId: 'no such item' },
  ]);
  expect(idsOf(await lease('bob', { slots: 4 }))).toEqual([2, 1, 0].map(item));
});
