import { describe, expect, it } from 'vitest';
import { failure, NOOP_OFFERS, submitJob } from '../testing/index.ts';
import { probationStore, SHARD } from '../testing/probation-store.ts';

const { db, connect, lease, leaseFirst, failAllItems, finishAll, advanceClock, job, itemsOf } =
  probationStore();

describe('a task that a worker gave up with an error', () => {
  it('goes to another worker', async () => {
    await connect('broken', 'ann');
    const id = await job(3 * SHARD);
    const task = await leaseFirst('broken');
    await db.store.report('broken', [failure(task)]);
    const others = [...(await lease('broken')), ...(await lease('broken')), ...(await lease('broken'))];
    expect(others.map(({ taskId }) => taskId)).not.toContain(task.taskId);
    expect(others).toHaveLength(2);
    expect(await lease('ann')).toMatchObject([{ taskId: task.taskId, attempt: 2 }]);
    expect(await itemsOf(id)).toMatchObject({ failed: 0 });
  });

  it('T6: goes back to the same worker immediately when there is no other', async () => {
    await connect('broken');
    const id = await job(SHARD);
    for (const attempt of [1, 2, 3]) {
      const task = await leaseFirst('broken');
      expect(task.attempt).toBe(attempt);
      await db.store.report('broken', [failure(task)]);
    }
    expect(await itemsOf(id)).toMatchObject({ failed: SHARD, open: 0 });
  });

  it('T6: goes back to the same worker immediately when the others do not offer its work kind', async () => {
    await connect('broken', 'ann');
    await job(20 * SHARD);
    await failAllItems('broken');
    expect(db.store.workersOnProbation()).toHaveLength(1);
    const own = { jobType: 'noop', model: 'own' } as const;
    const id = await submitJob(db.store, { items: SHARD, shardSize: SHARD, model: own.model });
    for (const attempt of [1, 2, 3]) {
      advanceClock(1000);
      const call = { worker: 'broken', boot: 'boot-of-broken', limit: null, slots: 4, renews: true };
      const [task] = (await db.store.lease({ ...call, offers: [...NOOP_OFFERS, own] })).tasks;
      expect(task).toMatchObject({ jobId: id, attempt });
      if (task !== undefined) await db.store.report('broken', [failure(task)]);
    }
  });

  it('goes back to the same worker after a minute when no other has taken it', async () => {
    await connect('broken', 'idle');
    await job(SHARD);
    const task = await leaseFirst('broken');
    await db.store.report('broken', [failure(task)]);
    expect(await lease('broken')).toEqual([]);
    await db.sql`update leases set leased_at = leased_at - interval '61 seconds'`;
    advanceClock(1000);
    expect(await lease('broken')).toMatchObject([{ taskId: task.taskId, attempt: 2 }]);
  });

  it('never fails because of one broken worker alone', async () => {
    await connect('broken', 'ann');
    const id = await job(100 * SHARD);
    for (let n = 0; n < 200; n += 1) {
      const tasks = await lease('broken');
      if (tasks.length === 0) break;
      await db.store.report(
        'broken',
        tasks.map((task) => failure(task)),
      );
    }
    const [failed] = await db.sql`select count(*)::int as tasks from tasks where errors > 0`;
    expect(failed?.['tasks']).toBeLessThanOrEqual(5 + 8 + 1);
    await finishAll('ann');
    expect(await itemsOf(id)).toMatchObject({ ok: 100 * SHARD, open: 0 });
  });
});
