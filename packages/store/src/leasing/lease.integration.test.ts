import { describe, expect, it } from 'vitest';
import { createStore, type Store } from '../store.ts';
import { completion, fileStore, freshStore, NOOP, submitJob } from '../testing/index.ts';
import type { WorkerRate } from '../workers/workers.ts';

const db = fileStore();

const ask = (
  over: { readonly limit?: number | null; readonly slots?: number; readonly rate?: number | null } = {},
) =>
  db.store.lease({
    worker: 'ann',
    boot: 'boot',
    limit: over.limit ?? null,
    slots: over.slots ?? 4,
    offers: [{ ...NOOP[0], itemsPerSecond: over.rate ?? null }],
    renews: true,
  });
const heartbeat = (worker: string, rates: readonly WorkerRate[]) =>
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
const pace = (items_per_second: number): WorkerRate[] => [{ ...NOOP[0], items_per_second }];

describe('the size of a lease', () => {
  it('is what the worker does in 45 seconds', async () => {
    await submitJob(db.store, { items: 2000, shardSize: 10 });
    expect((await ask({ rate: 2 })).tasks).toHaveLength(9);
  });

  it('is two items a slot while its pace is not known, and one task at least', async () => {
    await submitJob(db.store, { items: 2000, shardSize: 4 });
    expect((await ask({ slots: 1 })).tasks).toHaveLength(1);
    expect((await ask({ slots: 6 })).tasks).toHaveLength(3);
  });

  it('is never above what the worker asks for', async () => {
    await submitJob(db.store, { items: 2000, shardSize: 10 });
    expect((await ask({ rate: 100, limit: 2 })).tasks).toHaveLength(2);
  });

  it('is no more than its fair half of what is left, by the pace that the others tell', async () => {
    await heartbeat('ann', pace(1));
    await heartbeat('bob', pace(3));
    await submitJob(db.store, { items: 80, shardSize: 1 });
    expect((await ask({ rate: 1 })).tasks).toHaveLength(10);
  });

  it('is not in the hand of one who boasts: 500 items at most, and the others still get theirs', async () => {
    await heartbeat('liar', pace(100_000));
    await heartbeat('ann', pace(2));
    await submitJob(db.store, { items: 10_000, shardSize: 10 });
    const boast = await db.store.lease({
      worker: 'liar',
      boot: 'b',
      limit: null,
      slots: 1,
      offers: [{ ...NOOP[0], itemsPerSecond: 100_000 }],
      renews: true,
    });
    expect(boast.tasks).toHaveLength(50);
    expect((await ask({ rate: 2 })).tasks).toHaveLength(9);
  });

  it('T4: without slots it is the number that is asked for, over as many jobs as that takes', async () => {
    await submitJob(db.store, { items: 2, shardSize: 1 });
    await submitJob(db.store, { items: 3, shardSize: 1 });
    const { tasks } = await db.store.lease({
      worker: 'ann',
      boot: 'b',
      limit: 4,
      offers: NOOP,
      renews: false,
    });
    expect(tasks).toHaveLength(4);
  });
});

it('W4: a worker with plenty gets no more until it has reported some, and is then woken', async () => {
  await submitJob(db.store, { items: 2000, shardSize: 4 });
  const held = [];
  for (;;) {
    const { tasks } = await ask({ slots: 4 });
    if (tasks.length === 0) break;
    held.push(...tasks);
  }
  expect(held).toHaveLength(4); // 16 items: four a slot
  const woken = Promise.withResolvers<void>();
  const stop = db.store.subscribe(woken.resolve);
  await db.store.report(
    'ann',
    held.map((task) => completion(task)),
  );
  await woken.promise;
  stop();
  expect((await ask({ slots: 4 })).tasks).toHaveLength(2);
});

describe('the order between jobs', () => {
  // So many slots that what it holds is not plenty.
  const next = async () => (await ask({ limit: 1, slots: 100 })).tasks[0]?.jobId;

  it('is priority, then fewest items left, then age', async () => {
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

  it('counts what is left, and not what a job began with', async () => {
    const half = await submitJob(db.store, { items: 30 });
    const [first, second] = (
      await db.store.lease({ worker: 'a', boot: 'b', limit: 2, offers: NOOP, renews: false })
    ).tasks;
    const small = await submitJob(db.store, { items: 20 });
    await db.store.report(
      'a',
      [first, second].flatMap((task) => (task === undefined ? [] : [completion(task)])),
    );
    expect([await next(), await next()]).toEqual([half, small]);
  });

  it('puts a job first that has got no lease for ten minutes', async () => {
    let now = 0;
    await using fresh = await freshStore({ monotonicMs: () => now });
    const served = async () => {
      now += 1000; // what was read is too old by then
      const call = { worker: 'a', boot: 'b', limit: 1, offers: NOOP, renews: false };
      return (await fresh.store.lease(call)).tasks[0]?.jobId;
    };
    const large = await submitJob(fresh.store, { items: 30 });
    const small = await submitJob(fresh.store, { items: 10 });
    await fresh.sql`update jobs set created_at = now() - interval '11 minutes' where id = ${large}`;
    // Served, it is no longer starved.
    expect([await served(), await served()]).toEqual([large, small]);
  });

  it('is plain age where the server is set to it', async () => {
    await using fresh = await freshStore({ order: 'fifo' });
    const first = await submitJob(fresh.store, { items: 30 });
    await submitJob(fresh.store, { items: 10, priority: 9 });
    const { tasks } = await fresh.store.lease({
      worker: 'a',
      boot: 'b',
      limit: 1,
      offers: NOOP,
      renews: false,
    });
    expect(tasks[0]?.jobId).toBe(first);
  });

  it('leaves out what nobody here can run, and never what a stale view has missed', async () => {
    expect((await ask()).tasks).toEqual([]);
    await submitJob(db.store, { items: 5, model: 'other' });
    const ours = await submitJob(db.store, { items: 50 });
    expect((await ask({ limit: 1 })).tasks[0]?.jobId).toBe(ours);
    // Another control plane makes a job that this one has not heard of.
    await using elsewhere = otherStore();
    await db.store.cancelJob(ours);
    const theirs = await submitJob(elsewhere.store, { items: 5 });
    expect((await ask({ limit: 1 })).tasks[0]?.jobId).toBe(theirs);
  });
});

/** A second store over the same database, as another control plane has it. */
function otherStore() {
  const store = createStore({ url: db.url });
  return { store, [Symbol.asyncDispose]: () => store.close() };
}

describe('G: a worker that has a model loaded', () => {
  const offers = (loaded: string) =>
    ['a', 'b'].map((model) => ({
      job_type: 'noop' as const,
      model,
      itemsPerSecond: 1,
      loaded: model === loaded,
      loadSeconds: 10,
    }));
  const leasedBy = async (store: Store, worker: string, loaded: string, copies = false) => {
    const call = { worker, boot: `boot-of-${worker}`, limit: null, slots: 1, renews: true, copies };
    const { tasks } = await store.lease({ ...call, offers: offers(loaded) });
    return tasks[0]?.model;
  };
  const holds = (worker: string, model: string, items_per_second: number) =>
    heartbeat(worker, [{ job_type: 'noop', model, items_per_second, loaded: true }]);

  it('keeps it while those that hold the other model end that job soon, and swaps where they do not', async () => {
    await submitJob(db.store, { items: 100, model: 'a' });
    await submitJob(db.store, { items: 40, model: 'b' });
    await holds('bob', 'b', 1); // 40 s for it, a swap is worth 80
    expect(await leasedBy(db.store, 'ann', 'a')).toBe('a');
    await holds('bob', 'b', 0.4);
    const fresh = createStore({ url: db.url });
    expect(await leasedBy(fresh, 'ann', 'a')).toBe('b');
    await fresh.close();
  });

  it('loads another where nobody holds it', async () => {
    await submitJob(db.store, { items: 100, model: 'a' });
    await submitJob(db.store, { items: 40, model: 'b' });
    expect(await leasedBy(db.store, 'ann', 'a')).toBe('b');
  });

  it('E: is given no copy that it would have to load a model for, unless the holder may never end', async () => {
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
