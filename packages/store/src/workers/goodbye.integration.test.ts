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
} as const;

const { db, lease, copyFor, leasedToAnn, taskRow } = copyStore();

/** How often the calls run against each other. */
const ROUNDS = 40;

it('W7: a goodbye waits for a claim that is under way, and then releases what it granted', async () => {
  const { store, sql } = db;
  await submitJob(store, { items: 2, shardSize: 1 });
  await store.heartbeat({ ...ANN, offline: false });
  await leaseTasks(store, 'ann');
  let claim: Promise<unknown> = Promise.resolve();
  let goodbye: Promise<unknown> = Promise.resolve();
  await sql.begin(async (tx) => {
    // The claim has its task and waits to change the tallies.
    await tx`select from job_tallies for update`;
    claim = leaseTasks(store, 'ann');
    await waitForBlockedSession(sql);
    goodbye = store.heartbeat({ ...ANN, offline: true });
    await waitForBlockedSession(sql, 2);
  });
  expect(await claim).toHaveLength(1);
  await goodbye;
  await store.releaseBoots('ann', ['boot-of-ann']);
  expect(await sql`select from tasks where status = 'leased'`).toHaveLength(0);
  expect(await audit(sql)).toEqual([]);
});

it('W7: holds nothing after a goodbye, whatever claims run at the same time', async () => {
  const { store, sql } = db;
  await submitJob(store, { items: ROUNDS * 10, shardSize: 1 });
  let granted = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    await store.heartbeat({ ...ANN, offline: false });
    const claims = Array.from({ length: 4 }, () => leaseTasks(store, 'ann'));
    // In turn, none to all of the claims have ended when the goodbye begins. The others race with it.
    await Promise.all(claims.slice(0, round % 5));
    const goodbye = store
      .heartbeat({ ...ANN, offline: true })
      .then(() => store.releaseBoots('ann', ['boot-of-ann']));
    const [, ...leased] = await Promise.all([goodbye, ...claims]);
    granted += leased.flat().length;
    expect(await sql`select from tasks where status = 'leased'`).toHaveLength(0);
  }
  expect(granted).toBeGreaterThan(0);
  expect(await audit(sql)).toEqual([]);
});

it('W7: leases nothing after a goodbye, and says so, until the next heartbeat', async () => {
  const { store } = db;
  await submitJob(store, { items: 1 });
  const call = { worker: 'ann', boot: 'boot-of-ann', limit: 1, offers: NOOP_OFFERS, renews: false };
  await store.heartbeat({ ...ANN, offline: true });
  expect(await store.lease(call)).toMatchObject({ tasks: [], standing: { saidGoodbye: true } });
  // Another boot did not say goodbye.
  expect((await store.lease({ ...call, boot: 'next' })).tasks).toHaveLength(1);
  await store.heartbeat({ ...ANN, offline: false });
  expect(await store.lease(call)).toMatchObject({ tasks: [], standing: { saidGoodbye: false } });
});

it('W7: gives no copies to a boot that has said goodbye', async () => {
  await leasedToAnn(10);
  const bob = { ...ANN, worker: 'bob', boot: 'boot-of-bob' };
  await db.store.heartbeat({ ...bob, offline: true });
  expect(await lease('bob')).toEqual([]);
  await db.store.heartbeat({ ...bob, offline: false });
  expect(await lease('bob')).toMatchObject([{ copy: true }]);
});

it('W7: releases leases and copies of a boot, except those to keep', async () => {
  const { task } = await leasedToAnn(10);
  const copy = await copyFor('bob');
  await db.store.releaseBoots('bob', ['boot-of-bob'], [copy]);
  expect(await db.sql`select ended from copies`).toEqual([{ ended: null }]);
  await db.store.releaseBoots('bob', ['boot-of-bob']);
  expect(await db.sql`select ended from copies`).toEqual([{ ended: 'returned' }]);
  await db.store.releaseBoots('ann', ['boot-of-ann'], [task]);
  expect(await taskRow(task)).toMatchObject({ status: 'leased' });
  await db.store.releaseBoots('ann', ['boot-of-ann']);
  expect(await taskRow(task)).toMatchObject({ status: 'pending' });
});

it('W8: charges the attempt of a dead boot, even if a renewal of that boot is still under way', async () => {
  const { store, sql } = db;
  await submitJob(store, { items: ROUNDS, shardSize: 1 });
  for (let round = 0; round < ROUNDS; round += 1) {
    const [task] = await leaseTasks(store, 'ann');
    if (task === undefined) throw new Error('nothing was leased');
    const renewals = async () => {
      for (let n = 0; n < 4; n += 1) await store.renew('ann', 'boot-of-ann', [task]);
    };
    await Promise.all([store.expireBoots('ann', ['boot-of-ann']), renewals(), renewals()]);
    await store.expireBoots('ann', ['boot-of-ann']);
  }
  expect(await sql`select from tasks where status = 'leased' or returns > 0`).toHaveLength(0);
  expect(await audit(sql)).toEqual([]);
});

it('W8: refuses the renewals of a boot after the heartbeat of the next one', async () => {
  const { store } = db;
  const { task } = await leasedToAnn(10);
  const copy = await copyFor('bob');
  for (const worker of ['ann', 'bob'])
    await store.heartbeat({
      ...ANN,
      worker,
      boot: 'next',
      formerBoots: [`boot-of-${worker}`],
      offline: false,
    });
  const refused = [{ refusal: 'lease_lost', recordedElsewhere: [] }];
  expect(await store.renew('ann', 'boot-of-ann', [task])).toEqual(refused);
  expect(await store.renew('bob', 'boot-of-bob', [copy])).toEqual(refused);
  expect(await store.renew('ann', 'next', [task])).toMatchObject([{ refusal: null }]);
  expect(await store.renew('bob', 'next', [copy])).toMatchObject([{ refusal: null }]);
});

it('W8: does not resume an ended lease by a renewal of the dead boot that waited for a lock', async () => {
  const { store, sql } = db;
  await submitJob(store, { items: 2, shardSize: 1 });
  const [ofBob] = await leaseTasks(store, 'bob');
  const [ofAnn] = await leaseTasks(store, 'ann');
  if (ofBob === undefined || ofAnn === undefined) throw new Error('nothing was leased');
  await store.heartbeat({ ...ANN, offline: false });
  let renewal: Promise<unknown> = Promise.resolve();
  let takeover: Promise<unknown> = Promise.resolve();
  await sql.begin(async (tx) => {
    await tx`select from tasks where id = ${ofBob.taskId} for update`;
    // It names the task of another worker, and waits for it before it reaches its own.
    renewal = store.renew('ann', 'boot-of-ann', [ofBob, ofAnn]);
    await waitForBlockedSession(sql);
    takeover = store
      .heartbeat({ ...ANN, boot: 'next', formerBoots: ['boot-of-ann'], offline: false })
      .then(() => store.expireBoots('ann', ['boot-of-ann']));
    await Promise.race([takeover, waitForBlockedSession(sql, 2)]);
  });
  await Promise.all([renewal, takeover]);
  expect(await taskRow(ofAnn)).toMatchObject({ status: 'pending', attempts: 1, expiries: 1 });
  expect(await audit(sql)).toEqual([]);
});
