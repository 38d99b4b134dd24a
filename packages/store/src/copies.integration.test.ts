import { MAX_EXPIRIES_COPIED } from '@macbatch/core';
import { describe, expect, it } from 'vitest';
import type { LeasedTask } from './lease.ts';
import { createStore, type Store } from './store.ts';
import {
  completion,
  expireLeases,
  type FileStore,
  failure,
  fileStore,
  leaseTasks,
  NOOP,
  submitJob,
  success,
} from './testing/index.ts';

// At each look at it so much time has passed that nothing is remembered.
let clockMs = 0;
const monotonicMs = () => {
  clockMs += 2000;
  return clockMs;
};
const db = fileStore({ monotonicMs });

interface Ask {
  readonly rate?: number | null;
  readonly slots?: number;
  readonly copies?: boolean;
  readonly boot?: string;
  readonly again?: boolean;
}
async function ask(worker: string, over: Ask = {}, store: Store = db.store): Promise<LeasedTask[]> {
  const { tasks } = await store.lease({
    worker,
    boot: over.boot ?? `boot-of-${worker}`,
    limit: null,
    slots: over.slots ?? 1,
    offers: [{ ...NOOP[0], itemsPerSecond: over.rate ?? null }],
    renews: true,
    copies: over.copies ?? true,
    again: over.again ?? false,
  });
  return tasks;
}
const idsOf = (tasks: readonly LeasedTask[]) =>
  tasks.flatMap((task) => task.items.map(({ itemId }) => itemId));
const item = (n: number) => `item-${n}`;
/** Reports items of a task. */
const bring = (worker: string, task: LeasedTask, ...items: readonly number[]) =>
  db.store.report(worker, [
    {
      taskId: task.taskId,
      attempt: task.attempt,
      outcomes: items.map((n) => success(item(n))),
      final: false,
      error: null,
    },
  ]);
const loseCopies = async () => {
  await db.sql`update copies set lease_until = now() - interval '1 hour' where ended is null`;
  return db.store.reclaim({ force: true });
};
/** Resolves when somebody waits for a lock. */
async function lockWaits(sql: FileStore['sql']): Promise<void> {
  for (;;) {
    const waiting =
      await sql`select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
    if (waiting.length > 0) return;
  }
}
const countsOf = async (task: LeasedTask) => {
  const [row] = await db.sql<
    { status: string; attempts: number; expiries: number; assigned_worker: string | null }[]
  >`
    select status, attempts, expiries, assigned_worker from tasks where id = ${task.taskId}`;
  return row;
};

/** A job of one task that ann holds, with as many items. */
async function heldByAnn(items: number): Promise<{ readonly id: string; readonly task: LeasedTask }> {
  const id = await submitJob(db.store, { items, shardSize: items });
  const [task] = await leaseTasks(db.store, 'ann');
  if (task === undefined) throw new Error('ann was given nothing');
  return { id, task };
}
/** The copy that a worker is given; the test fails where it is given none. */
async function copyFor(worker: string, over: Ask = {}): Promise<LeasedTask> {
  const [task] = await ask(worker, over);
  if (task === undefined) throw new Error(`${worker} was given nothing`);
  return task;
}

describe('E: a worker that finds nothing pending', () => {
  it('is given the last items of a holder, last first, under the number of its lease', async () => {
    const { task } = await heldByAnn(10);
    const copy = await copyFor('bob');
    expect(copy).toMatchObject({ taskId: task.taskId, attempt: task.attempt, copy: true });
    expect(idsOf([copy])).toEqual([9, 8, 7, 6, 5].map(item));
    expect(copy.items[0]?.payload).toBe('{"n":9}');
    expect(await countsOf(task)).toEqual({
      status: 'leased',
      attempts: 1,
      expiries: 0,
      assigned_worker: 'ann',
    });
  });

  it('is given what is pending first', async () => {
    await submitJob(db.store, { items: 2, shardSize: 1 });
    await leaseTasks(db.store, 'ann');
    expect(await ask('bob')).toMatchObject([{ copy: false, attempt: 1 }]);
  });

  it('is given none without asking for one, nor where the setting is off', async () => {
    await heldByAnn(10);
    expect(await ask('bob', { copies: false })).toEqual([]);
    const store = createStore({ url: db.url, monotonicMs, copies: false });
    expect(await ask('bob', {}, store)).toEqual([]);
    await store.close();
    expect(await ask('bob')).toHaveLength(1);
  });

  it('is given none while it holds anything itself, a lease or a copy', async () => {
    await submitJob(db.store, { items: 1, shardSize: 1 });
    await leaseTasks(db.store, 'bob');
    await heldByAnn(10);
    expect(await ask('bob')).toEqual([]);
    await copyFor('cem');
    expect(await ask('cem')).toEqual([]);
  });

  it('is given the next copy once the last one is finished, whoever finished it', async () => {
    const { task } = await heldByAnn(10);
    const copy = await copyFor('bob');
    await bring('bob', copy, 9, 8, 7, 6);
    expect(await ask('bob')).toEqual([]);
    await bring('ann', task, 5);
    expect(idsOf(await ask('bob'))).toEqual([4, 3].map(item));
  });

  it('is given nothing of items that have an outcome', async () => {
    const { task } = await heldByAnn(6);
    await bring('ann', task, 5, 3);
    expect(idsOf(await ask('bob'))).toEqual([4, 2].map(item));
  });

  it('is given nothing of a cancelled job', async () => {
    const { id } = await heldByAnn(10);
    await db.store.cancelJob(id);
    expect(await ask('bob')).toEqual([]);
  });

  it('is given as much as lets both end together, over several tasks, from the last one back', async () => {
    await submitJob(db.store, { items: 8, shardSize: 2 });
    await leaseTasks(db.store, 'ann', 4);
    const copies = await ask('bob');
    expect(idsOf(copies)).toEqual([7, 6, 5, 4].map(item));
    expect(new Set(copies.map(({ taskId }) => taskId)).size).toBe(2);
  });
});

it('E: a worker that waits comes to every holder in turn, however many have nothing that may be copied', async () => {
  await submitJob(db.store, { items: 6, shardSize: 1 });
  for (let n = 0; n < 6; n += 1) await leaseTasks(db.store, `holder-${n}`);
  await db.sql`update job_tallies set last_at = now() - interval '1 hour'`; // all are overdue
  await db.sql`update tasks set expiries = ${MAX_EXPIRIES_COPIED} where id < 6`;
  let now = 0;
  const store = createStore({ url: db.url, monotonicMs: () => now });
  const given: LeasedTask[] = [];
  for (; now < 3000; now += 1000) given.push(...(await ask('bob', { again: true }, store)));
  await store.close();
  expect(given).toMatchObject([{ taskId: '6', copy: true }]);
});

it('E: a holder that boasts, and reports nothing but that it is there, is overdue all the same', async () => {
  const { task } = await heldByAnn(4);
  await db.store.heartbeat({
    worker: 'ann',
    boot: 'boot-of-ann',
    hostname: 'ann',
    jobTypes: ['noop'],
    models: ['noop'],
    concurrency: 1,
    leaseLimit: 0,
    rates: [{ ...NOOP[0], items_per_second: 100_000 }],
    offline: false,
    formerBoots: null,
  });
  expect(await ask('bob', { rate: 1 })).toEqual([]);
  await bring('ann', task, 0);
  await db.sql`update job_tallies set last_at = now() - interval '1 hour'`;
  expect(await bring('ann', task)).toMatchObject([{ outcome: 'accepted' }]);
  expect(await bring('ann', task, 0)).toMatchObject([{ outcome: 'accepted' }]);
  expect(idsOf(await ask('bob', { rate: 1 }))).toEqual([3, 2, 1].map(item));
});

describe('E: one copy an item', () => {
  it('at most, while there is one', async () => {
    await heldByAnn(10);
    expect(idsOf(await ask('bob'))).toEqual([9, 8, 7, 6, 5].map(item));
    expect(idsOf(await ask('cem'))).toEqual([4, 3, 2, 1, 0].map(item));
    expect(await ask('dan')).toEqual([]);
  });

  it('also when twelve ask at once, of three control planes', async () => {
    await submitJob(db.store, { items: 60, shardSize: 5 });
    await leaseTasks(db.store, 'ann', 12);
    const stores = Array.from({ length: 3 }, () => createStore({ url: db.url }));
    const names = Array.from({ length: 12 }, (_, n) => `worker-${n}`);
    const answers = await Promise.all(
      names.map((name, n) => ask(name, { slots: 10 }, stores[n % stores.length] ?? db.store)),
    );
    await Promise.all(stores.map((store) => store.close()));
    const given = answers.flatMap(idsOf);
    expect(given.length).toBeGreaterThanOrEqual(10);
    expect(new Set(given).size).toBe(given.length);
  });
});

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
    for (let n = 0; n < MAX_EXPIRIES_COPIED; n += 1) {
      await copyFor('bob');
      await loseCopies();
    }
    expect(await ask('bob')).toEqual([]);
    expect(await countsOf(task)).toMatchObject({ expiries: MAX_EXPIRIES_COPIED });
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
