import { describe, expect, it } from 'vitest';
import { createStore } from '../create-store.ts';
import type { Store } from '../store.ts';
import { completion, freshStore, NOOP_OFFER, NOOP_OFFERS, sharedStore, submitJob } from '../testing/index.ts';
import type { ReportedRate } from '../workers/worker.ts';

const db = sharedStore();

const lease = (
  over: { readonly limit?: number | null; readonly slots?: number; readonly rate?: number | null } = {},
) =>
  db.store.lease({
    worker: 'ann',
    boot: 'boot',
    limit: over.limit ?? null,
    slots: over.slots ?? 4,
    offers: [{ ...NOOP_OFFER, itemsPerSecond: over.rate ?? null }],
    renews: true,
  });
const heartbeat = (worker: string, rates: readonly ReportedRate[]) =>
  db.store.heartbeat({
    worker,
    boot: 'boot',
    hostname: 'h',
    jobTypes: ['noop'],
    models: ['noop'],
    concurrency: 1,
    leaseLimit: 1,
    rates,
    offline: false,
    formerBoots: null,
  });
const rate = (itemsPerSecond: number): ReportedRate[] => [{ ...NOOP_OFFER, itemsPerSecond }];

describe('the size of a lease', () => {
  it('is the work of 45 seconds at the worker’s rate', async () => {
    await submitJob(db.store, { items: 2000, shardSize: 10 });
    expect((await lease({ rate: 2 })).tasks).toHaveLength(9);
  });

  it('is two items per slot, and at least one task, when the rate is unknown', async () => {
    await submitJob(db.store, { items: 2000, shardSize: 4 });
    expect((await lease({ slots: 1 })).tasks).toHaveLength(1);
    expect((await lease({ slots: 6 })).tasks).toHaveLength(3);
  });

  it('never exceeds the lease limit of the call', async () => {
    await submitJob(db.store, { items: 2000, shardSize: 10 });
    expect((await lease({ rate: 100, limit: 2 })).tasks).toHaveLength(2);
  });

  it('is at most half of the worker’s share of the pending items, by the reported rates', async () => {
    await heartbeat('ann', rate(1));
    await heartbeat('bob', rate(3));
    await submitJob(db.store, { items: 80, shardSize: 1 });
    expect((await lease({ rate: 1 })).tasks).toHaveLength(10);
  });

  it('caps the lease of a worker that overstates its rate at 500 items', async () => {
    await heartbeat('mallory', rate(100_000));
    await heartbeat('ann', rate(2));
    await submitJob(db.store, { items: 10_000, shardSize: 10 });
    const overstated = await db.store.lease({
      worker: 'mallory',
      boot: 'b',
      limit: null,
      slots: 1,
      offers: [{ ...NOOP_OFFER, itemsPerSecond: 100_000 }],
      renews: true,
    });
    expect(overstated.tasks).toHaveLength(50);
    expect((await lease({ rate: 2 })).tasks).toHaveLength(9);
  });

  it('T4: is the lease limit of the call, over several jobs, when the call names no slots', async () => {
    await submitJob(db.store, { items: 2, shardSize: 1 });
    await submitJob(db.store, { items: 3, shardSize: 1 });
    const { tasks } = await db.store.lease({
      worker: 'ann',
      boot: 'b',
      limit: 4,
      offers: NOOP_OFFERS,
      renews: false,
    });
    expect(tasks).toHaveLength(4);
  });
});

it('W4: a worker that holds enough gets no more until it reports, and is then notified', async () => {
  await submitJob(db.store, { items: 2000, shardSize: 4 });
  const held = [];
  for (;;) {
    const { tasks } = await lease({ slots: 4 });
    if (tasks.length === 0) break;
    held.push(...tasks);
  }
  expect(held).toHaveLength(4); // 16 items: four per slot
  const notified = Promise.withResolvers<void>();
  const stop = db.store.subscribe(notified.resolve);
  await db.store.report(
    'ann',
    held.map((task) => completion(task)),
  );
  await notified.promise;
  stop();
  expect((await lease({ slots: 4 })).tasks).toHaveLength(2);
});

describe('the order between jobs', () => {
  // With 100 slots the worker always wants more items.
  const next = async () => (await lease({ limit: 1, slots: 100 })).tasks[0]?.jobId;

  it('is by priority, then fewest items left, then age', async () => {
    const large = await submitJob(db.store, { items: 30 });
    const small = await submitJob(db.store, { items: 20 });
    const urgent = await submitJob(db.store, { items: 40, priority: 1 });
    const served = [
      await next(),
      await next(),
      await next(),
      await next(),
      await next(),
      await next(),
      await next(),
    ];
    expect(served).toEqual([urgent, urgent, urgent, urgent, small, small, large]);
  });

  it('counts the items left, not the items submitted', async () => {
    const half = await submitJob(db.store, { items: 30 });
    const [first, second] = (
      await db.store.lease({ worker: 'a', boot: 'b', limit: 2, offers: NOOP_OFFERS, renews: false })
    ).tasks;
    const small = await submitJob(db.store, { items: 20 });
    await db.store.report(
      'a',
      [first, second].flatMap((task) => (task === undefined ? [] : [completion(task)])),
    );
    expect([await next(), await next()]).toEqual([half, small]);
  });

  it('puts a job first that has had no lease for ten minutes', async () => {
    let now = 0;
    await using fresh = await freshStore({ monotonicMs: () => now });
    const served = async () => {
      now += 1000; // makes the cached job queue expire
      const call = { worker: 'a', boot: 'b', limit: 1, offers: NOOP_OFFERS, renews: false };
      return (await fresh.store.lease(call)).tasks[0]?.jobId;
    };
    const large = await submitJob(fresh.store, { items: 30 });
    const small = await submitJob(fresh.store, { items: 10 });
    await fresh.sql`update jobs set created_at = now() - interval '11 minutes' where id = ${large}`;
    // After the lease, the job is no longer starving.
    expect([await served(), await served()]).toEqual([large, small]);
  });

  it('is by age alone with the order fifo', async () => {
    await using fresh = await freshStore({ order: 'fifo' });
    const first = await submitJob(fresh.store, { items: 30 });
    await submitJob(fresh.store, { items: 10, priority: 9 });
    const { tasks } = await fresh.store.lease({
      worker: 'a',
      boot: 'b',
      limit: 1,
      offers: NOOP_OFFERS,
      renews: false,
    });
    expect(tasks[0]?.jobId).toBe(first);
  });

  it('omits jobs that the worker does not offer, and finds jobs that the cache does not have', async () => {
    expect((await lease()).tasks).toEqual([]);
    await submitJob(db.store, { items: 5, model: 'other' });
    const ours = await submitJob(db.store, { items: 50 });
    expect((await lease({ limit: 1 })).tasks[0]?.jobId).toBe(ours);
    // Another control plane stores a job, and this one has received no notification.
    await using elsewhere = otherStore();
    await db.store.cancelJob(ours);
    const theirs = await submitJob(elsewhere.store, { items: 5 });
    expect((await lease({ limit: 1 })).tasks[0]?.jobId).toBe(theirs);
  });
});

/** A second store over the same database, like that of another control plane. */
function otherStore() {
  const store = createStore({ url: db.url });
  return { store, [Symbol.asyncDispose]: () => store.close() };
}

describe('a worker that has a model loaded', () => {
  const offers = (loaded: string) =>
    ['a', 'b'].map((model) => ({
      jobType: 'noop' as const,
      model,
      itemsPerSecond: 1,
      loaded: model === loaded,
      loadSeconds: 10,
    }));
  const leasedBy = async (store: Store, worker: string, loaded: string, acceptsCopies = false) => {
    const call = { worker, boot: `boot-of-${worker}`, limit: null, slots: 1, renews: true, acceptsCopies };
    const { tasks } = await store.lease({ ...call, offers: offers(loaded) });
    return tasks[0]?.model;
  };
  const reportLoaded = (worker: string, model: string, itemsPerSecond: number) =>
    heartbeat(worker, [{ jobType: 'noop', model, itemsPerSecond, loaded: true }]);

  it('keeps the model while the workers with the other model end that job soon, and swaps when they do not', async () => {
    await submitJob(db.store, { items: 100, model: 'a' });
    await submitJob(db.store, { items: 40, model: 'b' });
    await reportLoaded('bob', 'b', 1); // bob needs 40 s, and a swap is worth it from 80 s on
    expect(await leasedBy(db.store, 'ann', 'a')).toBe('a');
    await reportLoaded('bob', 'b', 0.4);
    const fresh = createStore({ url: db.url });
    expect(await leasedBy(fresh, 'ann', 'a')).toBe('b');
    await fresh.close();
  });

  it('loads a model that no other worker has', async () => {
    await submitJob(db.store, { items: 100, model: 'a' });
    await submitJob(db.store, { items: 40, model: 'b' });
    expect(await leasedBy(db.store, 'ann', 'a')).toBe('b');
  });

  it('gets a copy that needs another model only when the holder may never finish', async () => {
    await submitJob(db.store, { items: 10, model: 'b' });
    expect(await leasedBy(db.store, 'bob', 'b')).toBe('b');
    const fresh = createStore({ url: db.url });
    expect(await leasedBy(fresh, 'ann', 'a', true)).toBe(undefined);
    await db.sql`update job_tallies set last_at = now() - interval '1 hour'`;
    const later = createStore({ url: db.url });
    expect(await leasedBy(later, 'ann', 'a', true)).toBe('b');
    await Promise.all([fresh.close(), later.close()]);
  });
});
