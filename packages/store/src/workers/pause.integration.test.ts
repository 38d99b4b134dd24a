import { expect, it } from 'vitest';
import { copyStore } from '../testing/copy-store.ts';
import { audit, leaseTasks, NOOP_OFFERS, submitJob, waitForBlockedSession } from '../testing/index.ts';

const ANN = {
  worker: 'ann',
  boot: 'boot-of-ann',
  hostname: 'mac-1.local',
  jobTypes: ['noop'],
  models: ['noop'],
  concurrency: 1,
  leaseLimit: 1,
  formerBoots: null,
  offline: false,
} as const;
const PAUSE = { until: null, reason: null, by: 'key', drain: false } as const;

const { db, lease, leasedToAnn } = copyStore();

it('a pause waits for a claim that is under way, and every later claim gets nothing', async () => {
  const { store, sql } = db;
  await submitJob(store, { items: 3, shardSize: 1 });
  await store.heartbeat(ANN);
  await leaseTasks(store, 'ann');
  let claim: Promise<unknown> = Promise.resolve();
  let pause: Promise<unknown> = Promise.resolve();
  await sql.begin(async (tx) => {
    // The claim has its task and waits to change the tallies.
    await tx`select from job_tallies for update`;
    claim = leaseTasks(store, 'ann');
    await waitForBlockedSession(sql);
    pause = store.pauseWorker('ann', PAUSE);
    await waitForBlockedSession(sql, 2);
  });
  expect(await claim).toHaveLength(1);
  await pause;
  expect(await leaseTasks(store, 'ann')).toEqual([]);
  expect(await audit(sql)).toEqual([]);
});

it('grants no lease after a pause was answered, whatever claims run at the same time', async () => {
  const { store, sql } = db;
  await submitJob(store, { items: 400, shardSize: 1 });
  let granted = 0;
  for (let round = 0; round < 20; round += 1) {
    await store.heartbeat(ANN);
    await store.resumeWorker('ann', null);
    const claims = Array.from({ length: 4 }, () => leaseTasks(store, 'ann'));
    await Promise.all(claims.slice(0, round % 5));
    await store.pauseWorker('ann', PAUSE);
    const [before] = await sql<{ count: number }[]>`select count(*)::int from leases`;
    granted += (await Promise.all(claims)).flat().length;
    expect(await leaseTasks(store, 'ann', 10)).toEqual([]);
    expect(await sql`select count(*)::int from leases`).toEqual([before]);
  }
  expect(granted).toBeGreaterThan(0);
});

it('keeps a pause through heartbeats, a goodbye and a new boot', async () => {
  const { store } = db;
  await submitJob(store, { items: 1 });
  await store.heartbeat(ANN);
  await store.pauseWorker('ann', PAUSE);
  await store.heartbeat({ ...ANN, offline: true });
  expect(await store.heartbeat({ ...ANN, boot: 'next' })).toMatchObject({ pause: { by: 'key' } });
  const call = { worker: 'ann', boot: 'next', limit: 1, offers: NOOP_OFFERS, renews: false };
  expect(await store.lease(call)).toMatchObject({
    tasks: [],
    standing: { saidGoodbye: false, pause: { by: 'key' } },
  });
});

it('gives no copies to a paused worker', async () => {
  await leasedToAnn(10);
  await db.store.heartbeat({ ...ANN, worker: 'bob', boot: 'boot-of-bob' });
  await db.store.pauseWorker('bob', PAUSE);
  expect(await lease('bob')).toEqual([]);
  await db.store.resumeWorker('bob', null);
  expect(await lease('bob')).toMatchObject([{ copy: true }]);
});
