import { MAX_EXPIRIES_FOR_COPIES } from '@macbatch/core';
import { describe, expect, it } from 'vitest';
import { copyStore, idsOf, item, lockWaits } from '../testing/copy-store.ts';
import { completion, expireLeases, failure } from '../testing/index.ts';

const { db, ask, bring, loseCopies, countsOf, heldByAnn, copyFor } = copyStore();

describe('E, T7: the first result wins', () => {
  it('and each item has one outcome, whoever brings it and in whatever order', async () => {
    const { id, task } = await heldByAnn(4);
    const copy = await copyFor('bob', { rate: 100 });
    expect(idsOf([copy])).toEqual([3, 2].map(item));
    await bring('bob', copy, 3);
    const [verdict] = await db.store.report('ann', [completion(task, '{"by":"ann"}')]);
    expect(verdict).toMatchObject({ outcome: 'accepted', status: 'done' });
    expect(await bring('bob', copy, 2)).toMatchObject([{ outcome: 'superseded', status: 'done' }]);
    expect(await db.store.readJob(id)).toMatchObject({ state: 'done', items: { ok: 4 }, leasesGranted: 1 });
    const [, , two, three] = await db.sql<{ output: string }[]>`select output from results order by seq`;
    expect([two?.output, three?.output]).toEqual(['{"by":"ann"}', '{"ok":true}']);
  });

  it('and the copy ends the task where its holder never comes back', async () => {
    const { id, task } = await heldByAnn(2);
    await bring('ann', task, 0);
    await db.sql`update job_tallies set last_at = now() - interval '1 hour'`; // ann is overdue
    const copy = await copyFor('bob');
    expect(await bring('bob', copy, 1)).toMatchObject([{ outcome: 'accepted', status: 'done' }]);
    expect(await db.store.readJob(id)).toMatchObject({ state: 'done', items: { ok: 2 } });
    expect(await countsOf(task)).toMatchObject({ assigned_worker: 'bob' });
  });

  it('T9: also from a copy that was lost, but not from one that was never given', async () => {
    await heldByAnn(4);
    const copy = await copyFor('bob');
    await loseCopies();
    expect(await bring('bob', copy, 3)).toMatchObject([{ outcome: 'accepted' }]);
    expect(await bring('eve', copy, 2)).toMatchObject([{ outcome: 'refused', code: 'not_leased' }]);
  });

  it('and who runs an item that somebody else has ended is told, when it reports and when it renews', async () => {
    const { task } = await heldByAnn(6);
    const copy = await copyFor('bob');
    await bring('bob', copy, 5, 4);
    expect(await bring('ann', task, 0)).toMatchObject([{ settled: [item(4), item(5)] }]);
    expect(await db.store.renew('ann', [task])).toEqual([{ refusal: null, settled: [item(4), item(5)] }]);
    await bring('ann', task, 3);
    expect(await db.store.renew('bob', [copy])).toEqual([{ refusal: null, settled: [3, 4, 5].map(item) }]);
  });
});

describe('E: a copy brings results and nothing else:', () => {
  it('what fails on it is left to its holder, charges nothing, and is not copied again', async () => {
    const { task } = await heldByAnn(4);
    const copy = await copyFor('bob');
    expect(await db.store.report('bob', [failure(copy)])).toMatchObject([
      { outcome: 'refused', code: 'lease_lost' },
    ]);
    expect(await countsOf(task)).toEqual({
      status: 'leased',
      attempts: 1,
      expiries: 0,
      assigned_worker: 'ann',
    });
    expect(idsOf(await ask('cem'))).toEqual([1, 0].map(item));
  });

  it('what is handed back stays its holder’s, and can be copied again', async () => {
    const { task } = await heldByAnn(4);
    const copy = await copyFor('bob');
    expect(await db.store.release('bob', [copy])).toEqual([null]);
    expect(await countsOf(task)).toEqual({
      status: 'leased',
      attempts: 1,
      expiries: 0,
      assigned_worker: 'ann',
    });
    expect(idsOf(await ask('cem'))).toEqual([3, 2].map(item));
  });

  it('H: what a former boot had is handed back as well', async () => {
    await heldByAnn(4);
    await copyFor('bob', { boot: 'before' });
    await db.store.releaseBoots('bob', ['before']);
    expect(idsOf(await ask('bob', { boot: 'after' }))).toEqual([3, 2].map(item));
  });

  it('a renewal keeps it, and nothing of the holder’s lease', async () => {
    const { task } = await heldByAnn(4);
    const copy = await copyFor('bob');
    await db.sql`update copies set lease_until = now() + interval '1 second'`;
    await db.sql`update tasks set lease_until = now() + interval '1 second'`;
    expect(await db.store.renew('bob', [copy])).toMatchObject([{ refusal: null }]);
    const [copied] = await db.sql<
      { long: boolean }[]
    >`select lease_until > now() + interval '1 minute' as long from copies`;
    const [held] = await db.sql<
      { long: boolean }[]
    >`select lease_until > now() + interval '1 minute' as long from tasks`;
    expect([copied?.long, held?.long]).toEqual([true, false]);
    expect(await db.store.renew('eve', [copy])).toMatchObject([{ refusal: 'lease_lost' }]);
    await bring('ann', task, 0, 1, 2, 3);
    expect(await db.store.renew('bob', [copy])).toMatchObject([{ refusal: 'already_done' }]);
  });
});

describe('E: a lost copy', () => {
  it('counts as a lost lease, and its items can be copied again', async () => {
    const { task } = await heldByAnn(4);
    await copyFor('bob');
    await loseCopies();
    expect(await countsOf(task)).toEqual({
      status: 'leased',
      attempts: 1,
      expiries: 1,
      assigned_worker: 'ann',
    });
    expect(idsOf(await ask('cem'))).toEqual([3, 2].map(item));
    const kinds = await db.sql<{ kind: string; worker_id: string }[]>`select kind, worker_id from events`;
    expect([...kinds]).toEqual([{ kind: 'copy_lost', worker_id: 'bob' }]);
  });

  it('of a task that has lost leases before is the last one: nobody else is risked on it', async () => {
    const { task } = await heldByAnn(4);
    for (let n = 0; n < MAX_EXPIRIES_FOR_COPIES; n += 1) {
      await copyFor('bob');
      await loseCopies();
    }
    expect(await ask('bob')).toEqual([]);
    expect(await countsOf(task)).toMatchObject({ expiries: MAX_EXPIRIES_FOR_COPIES });
  });

  it('charges nothing where all of it was finished', async () => {
    const { task } = await heldByAnn(4);
    const copy = await copyFor('bob');
    await bring('bob', copy, 3);
    await bring('ann', task, 2);
    await loseCopies();
    expect(await countsOf(task)).toMatchObject({ status: 'leased', expiries: 0 });
  });

  it('is let go at once where its worker just hands it back', async () => {
    await heldByAnn(4);
    const copy = await copyFor('bob');
    await db.sql`update copies set lease_until = now() - interval '1 hour'`;
    const returning = await db.sql.reserve();
    await returning`begin`;
    // The first half of a hand-back, and of a renewal: the task is held, the copy is not yet.
    await returning`select from tasks where id = ${copy.taskId} for no key update`;
    const swept = db.store.reclaim({ force: true });
    await Promise.race([swept, lockWaits(db.sql)]);
    await returning`update copies set ended = 'returned' where task_id = ${copy.taskId}`;
    await returning`commit`;
    returning.release();
    expect(await swept).toMatchObject({ reclaimed: 0, failed: 0 });
    await db.store.reclaim({ force: true });
    expect([...(await db.sql`select ended from copies`)]).toEqual([{ ended: 'returned' }]);
    expect([...(await db.sql`select kind from events`)]).toEqual([]);
  });

  it('does not keep a lease from expiring, nor a task from being leased again', async () => {
    const { task } = await heldByAnn(4);
    await copyFor('bob');
    await expireLeases(db.sql);
    expect(await db.store.reclaim({ force: true })).toMatchObject({ reclaimed: 1 });
    expect(await ask('cem')).toMatchObject([{ taskId: task.taskId, attempt: 2, copy: false }]);
  });
});

it('E, L: a holder that never ends what failed elsewhere, or runs alone, keeps it for an hour', async () => {
  const { task } = await heldByAnn(4);
  await db.store.spare('ann', [{ taskId: task.taskId, attempt: task.attempt, itemId: item(3) }]);
  const copy = await copyFor('bob', { slots: 2 });
  expect(idsOf([copy])).toEqual([2, 1].map(item));
  await db.store.report('bob', [failure(copy)]);
  const later = async (minutes: number) => {
    await db.sql`update copies set copied_at = now() - ${minutes}::float8 * interval '1 minute'`;
    await db.sql`update job_tallies set last_at = now() - interval '1 hour'`; // ann is overdue
    return ask('cem', { slots: 4 });
  };
  expect(idsOf(await later(59))).toEqual([item(0)]);
  await db.sql`delete from copies where worker_id = 'cem'`;
  expect(idsOf(await later(61))).toEqual([3, 2, 1, 0].map(item));
});

it('L: an item that its holder runs alone is not copied, and nobody but the holder can say so', async () => {
  const { task } = await heldByAnn(4);
  const suspect = (n: number) => ({ taskId: task.taskId, attempt: task.attempt, itemId: item(n) });
  await db.store.spare('ann', [suspect(3), suspect(3)]);
  await db.store.spare('eve', [suspect(2)]);
  await db.store.spare('ann', [
    { ...suspect(1), attempt: 7 },
    { ...suspect(0), itemId: 'no such item' },
  ]);
  expect(idsOf(await ask('bob', { slots: 4 }))).toEqual([2, 1, 0].map(item));
});
