import type { WorkerTrouble } from '@macbatch/core';
import { describe, expect, it } from 'vitest';
import type { LeasedTask } from '../tasks/leased-tasks.ts';
import { completion, failure, NOOP_OFFERS, submitJob } from '../testing/index.ts';
import { probationStore, SHARD } from '../testing/probation-store.ts';

const { db, connect, lease, leaseFirst, job } = probationStore();

/** Releases tasks that the worker's model server has rejected. */
const reject = (worker: string, tasks: readonly LeasedTask[]) =>
  db.store.release(
    worker,
    tasks.map((task) => ({ ...task, rejected: true })),
  );

/** A heartbeat of a worker that offers nothing because of a trouble. */
async function inTrouble(worker: string, code: string, sinceSeconds = 5) {
  const trouble: WorkerTrouble = {
    jobType: 'noop',
    model: 'noop',
    endpoint: 'server',
    code,
    message: 'no',
    sinceSeconds,
    nextTrySeconds: 2,
  };
  await db.store.heartbeat({
    worker,
    boot: `boot-of-${worker}`,
    hostname: worker,
    jobTypes: [],
    models: [],
    concurrency: 4,
    leaseLimit: 0,
    troubles: [trouble],
    offline: false,
    formerBoots: null,
  });
}

describe('a task that a model server has rejected', () => {
  it('is left to another worker, however long that one is busy', async () => {
    await connect('broken', 'good');
    await job(2 * SHARD);
    const busy = await leaseFirst('good');
    const task = await leaseFirst('broken');
    expect(task.noOtherWorker).toBe(false);
    expect(await reject('broken', [task])).toEqual([null]);
    for (let n = 0; n < 3; n += 1) {
      expect((await lease('broken')).filter(({ copy }) => !copy)).toEqual([]);
    }
    await db.store.report('good', [completion(busy)]);
    expect(await lease('good')).toMatchObject([{ taskId: task.taskId, noOtherWorker: false }]);
  });

  it('T6: charges no attempt', async () => {
    await connect('one', 'two', 'three', 'good');
    const id = await job(SHARD);
    for (const broken of ['one', 'two', 'three']) await reject(broken, await lease(broken));
    const task = await leaseFirst('good');
    expect(task.attempt).toBe(4);
    // Three attempts are left: after two errors anyone may still take it.
    await db.store.report('good', [failure(task)]);
    expect((await db.store.readJob(id))?.items).toMatchObject({ failed: 0, open: SHARD });
  });

  it('comes back marked to a worker that has no other beside it', async () => {
    await connect('broken');
    await job(SHARD);
    const task = await leaseFirst('broken');
    await reject('broken', [task]);
    expect(await lease('broken')).toMatchObject([{ taskId: task.taskId, noOtherWorker: true }]);
  });

  it('comes back marked when all other workers have rejected it too', async () => {
    await connect('one', 'two');
    await job(SHARD);
    await reject('one', await lease('one'));
    expect(await lease('one')).toEqual([]);
    await reject('two', await lease('two'));
    expect(await lease('one')).toMatchObject([{ noOtherWorker: true }]);
  });

  it('comes back marked when the other worker has gone offline', async () => {
    await connect('broken', 'good');
    await job(SHARD);
    await reject('broken', await lease('broken'));
    expect(await lease('broken')).toEqual([]);
    await db.sql`update workers set offline = true where id = 'good'`;
    expect(await lease('broken')).toMatchObject([{ noOtherWorker: true }]);
  });

  it('goes to a new boot of its worker, unmarked', async () => {
    await connect('broken', 'good');
    await job(SHARD);
    await reject('broken', await lease('broken'));
    const call = { worker: 'broken', limit: null, slots: 4, offers: NOOP_OFFERS, renews: true };
    const { tasks } = await db.store.lease({ ...call, boot: 'repaired' });
    expect(tasks).toMatchObject([{ noOtherWorker: false }]);
  });

  it('goes back unmarked after ten minutes, because the server may have been repaired', async () => {
    await connect('broken', 'good');
    await job(SHARD);
    await reject('broken', await lease('broken'));
    await db.sql`update leases set leased_at = leased_at - interval '601 seconds'`;
    expect(await lease('broken')).toMatchObject([{ noOtherWorker: false }]);
  });

  it('is not left to a worker that runs other work', async () => {
    await connect('broken', 'good');
    await submitJob(db.store, { items: SHARD, shardSize: SHARD, model: 'own' });
    const call = { worker: 'broken', boot: 'boot-of-broken', limit: null, slots: 4, renews: true };
    const offers = [{ jobType: 'noop', model: 'own' }] as const;
    await reject('broken', (await db.store.lease({ ...call, offers })).tasks);
    expect((await db.store.lease({ ...call, offers })).tasks).toMatchObject([{ noOtherWorker: true }]);
  });

  it.each<[string, string, number, boolean]>([
    ['is left to a worker whose server is down', 'server_unreachable', 60, true],
    ['is left to a worker whose server breaks', 'server_error', 60, true],
    ['is not left to a worker whose server is down for ten minutes', 'server_unreachable', 601, false],
    [
      'is left to a worker whose server rejects everything, until it has rejected this task',
      'rejects_all_items',
      60,
      true,
    ],
    ['is not left to a worker whose key is wrong', 'unauthorized', 60, false],
  ])('%s', async (_title, code, sinceSeconds, isLeft) => {
    await connect('broken');
    await inTrouble('other', code, sinceSeconds);
    await job(SHARD);
    await reject('broken', await lease('broken'));
    expect(await lease('broken')).toMatchObject(isLeft ? [] : [{ noOtherWorker: true }]);
  });

  it('T10: changes nothing when the lease is no longer held', async () => {
    await connect('broken', 'good');
    await job(SHARD);
    const task = await leaseFirst('broken');
    await db.store.release('broken', [task]);
    expect(await reject('broken', [task])).not.toEqual([null]);
    expect(await lease('broken')).toMatchObject([{ noOtherWorker: false }]);
  });
});
