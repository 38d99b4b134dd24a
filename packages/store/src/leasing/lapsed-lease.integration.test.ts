import { describe, expect, it } from 'vitest';
import {
  audit,
  completion,
  failure,
  leaseOne,
  leaseTasks,
  makeLeasesPass,
  submitJob,
  success,
} from '../testing/index.ts';
import { sharedStore } from '../testing/shared-store.ts';

const db = sharedStore();
const BOOT = 'boot-of-ann';

/** How often two calls run against each other. */
const ROUNDS = 40;

const taskRows = () =>
  db.sql<{ status: string; attempts: number; expiries: number; assigned_worker: string | null }[]>`
    select status, attempts, expiries, assigned_worker from tasks order by id`;
const eventKinds = async () =>
  (await db.sql<{ kind: string }[]>`select kind from events order by id`).map(({ kind }) => kind);
const renew = async (lease: { taskId: string; attempt: number }, boot = BOOT) => {
  const [answer] = await db.store.renew('ann', boot, [lease]);
  return answer?.refusal;
};

/** A task of ann whose lease has expired. */
async function lapsed(items = 2) {
  const id = await submitJob(db.store, { items, shardSize: items });
  const task = await leaseOne(db.store, 'ann');
  await makeLeasesPass(db.sql);
  await db.store.reclaim({ force: true });
  return { id, task };
}

describe('renewal of a lapsed lease', () => {
  it('T14: leases the task again without a new attempt, and keeps the event of the expiry', async () => {
    const { id, task } = await lapsed();
    expect(await renew(task)).toBeNull();
    expect(await taskRows()).toEqual([
      { status: 'leased', attempts: 1, expiries: 0, assigned_worker: 'ann' },
    ]);
    expect(await eventKinds()).toEqual(['lease_expired', 'lease_resumed']);
    const job = await db.store.readJob(id);
    expect(job).toMatchObject({
      tasks: { pending: 0, leased: 1 },
      leasesGranted: 1,
      leaseExpiredEvents: 1,
    });
    expect(await audit(db.url)).toEqual([]);
    expect(await leaseTasks(db.store, 'bob')).toEqual([]);
  });

  it('T14, R5: records each expiry of a lease that expires again', async () => {
    const { task } = await lapsed();
    for (let round = 0; round < 3; round += 1) {
      expect(await renew(task)).toBeNull();
      await makeLeasesPass(db.sql);
      await Promise.all([db.store.reclaim({ force: true }), db.store.reclaim({ force: true })]);
    }
    expect((await eventKinds()).filter((kind) => kind === 'lease_expired')).toHaveLength(4);
    expect(await taskRows()).toMatchObject([{ status: 'pending', attempts: 1, expiries: 1 }]);
    expect(await audit(db.url)).toEqual([]);
  });

  it.each<[string, () => Promise<unknown>]>([
    ['another boot of the worker', () => renew({ taskId: '1', attempt: 1 }, 'next')],
    ['another worker', () => db.store.renew('bob', BOOT, [{ taskId: '1', attempt: 1 }])],
    ['a task error', () => db.store.report('ann', [failure({ taskId: '1', attempt: 1 })])],
    ['a release', () => db.store.release('ann', [{ taskId: '1', attempt: 1 }])],
    ['a release of the boot', () => db.store.releaseBoots('ann', [BOOT])],
  ])('T14: %s does not lease the task again and changes nothing', async (_what, call) => {
    await lapsed();
    const before = await db.sql`select * from tasks`;
    await call();
    expect(await db.sql`select * from tasks`).toEqual(before);
  });

  it('T14: a report records outcomes and does not lease the task again', async () => {
    const { task } = await lapsed();
    const entry = { ...completion(task), outcomes: [success('item-0')], final: false };
    expect(await db.store.report('ann', [entry])).toMatchObject([{ outcome: 'accepted', status: 'pending' }]);
    expect(await taskRows()).toMatchObject([{ status: 'pending', expiries: 0 }]);
    expect(await renew(task)).toBeNull();
    expect(await taskRows()).toMatchObject([{ status: 'leased', expiries: 0 }]);
    expect(await audit(db.url)).toEqual([]);
  });

  it('T14: is refused between the cancel of a job and the mark on its task', async () => {
    const { id, task } = await lapsed();
    await db.sql`update jobs set cancelled_at = now() where id = ${id}`;
    expect(await renew(task)).toBe('job_cancelled');
    expect(await taskRows()).toMatchObject([{ status: 'pending' }]);
  });

  it('T14: of a renewal and a lease of another worker, exactly one gets the task', async () => {
    const winners = new Set<string>();
    for (let round = 0; round < ROUNDS; round += 1) {
      const { id, task } = await lapsed();
      const [refusal, others] = await Promise.all([renew(task), leaseTasks(db.store, 'bob')]);
      const rows = await taskRows();
      if (refusal === null) {
        expect(others).toEqual([]);
        expect(rows.at(-1)).toMatchObject({ status: 'leased', attempts: 1, assigned_worker: 'ann' });
      } else if (others.length > 0) {
        expect(refusal).toBe('lease_lost');
        expect(rows.at(-1)).toMatchObject({ status: 'leased', attempts: 2, assigned_worker: 'bob' });
      }
      winners.add(refusal === null ? 'ann' : 'bob');
      const holder = refusal === null ? task : others[0];
      if (holder !== undefined) await db.store.report(refusal === null ? 'ann' : 'bob', [completion(holder)]);
      expect((await db.store.readJob(id))?.tasks.done).toBe(1);
    }
    // The test proves something only when each of the two has won.
    expect(winners).toEqual(new Set(['ann', 'bob']));
    expect(await audit(db.url)).toEqual([]);
  });

  it('T14, R5: a renewal and reclaims of an overdue lease leave it with its holder', async () => {
    const ways = new Set<string>();
    await submitJob(db.store, { items: 1 });
    const task = await leaseOne(db.store, 'ann');
    for (let round = 0; round < ROUNDS; round += 1) {
      await makeLeasesPass(db.sql);
      // All three run concurrently; the first call sent is often the first that locks the task.
      const early = round % 2 === 0 ? renew(task) : null;
      const reclaims = [1, 2].map(() => db.store.reclaim({ force: true }));
      expect(await (early ?? renew(task))).toBeNull();
      const reclaimed = (await Promise.all(reclaims)).reduce((sum, each) => sum + each.reclaimed, 0);
      expect(reclaimed).toBeLessThanOrEqual(1);
      const [row] = await taskRows();
      expect(row).toMatchObject({ status: 'leased', attempts: 1, expiries: 0, assigned_worker: 'ann' });
      ways.add(reclaimed === 0 ? 'renewed' : 'resumed');
    }
    expect(ways).toEqual(new Set(['renewed', 'resumed']));
    expect(await audit(db.url)).toEqual([]);
  });
});
