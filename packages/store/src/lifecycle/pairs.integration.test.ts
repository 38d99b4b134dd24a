import { MAX_EXPIRIES, TASK_STATUSES } from '@macbatch/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FreshStore, freshStore } from '../testing/index.ts';
import { ITEMS, type OneTask, oneTask } from '../testing/lifecycle/one-task.ts';
import {
  BOOT,
  type Call,
  comparable,
  FAR_AWAY,
  LONG_AGO,
  newWorld,
  step,
  type World,
} from '../testing/lifecycle/world.ts';

const ALL = Array.from({ length: ITEMS }, (_, position) => position);

const lease = (worker: string): Call => ({ type: 'lease', worker });
const byHolder = (type: 'release' | 'fail', worker: string, attempt: number): Call => ({
  type,
  worker,
  attempt,
});
const renew = (worker: string, attempt: number, boot = BOOT): Call => ({
  type: 'renew',
  worker,
  boot,
  attempt,
});
const report = (
  worker: string,
  attempt: number,
  items: readonly number[],
  final = false,
  outcome: 'ok' | 'error' | 'mixed' = 'ok',
): Call => ({ type: 'report', worker, attempt, items, final, outcome });
const retry = (items: boolean): Call => ({ type: 'retry', items });

/** The world after calls that all change something, so that every state is reachable. */
function after(start: World, ...calls: readonly Call[]): World {
  return calls.reduce((before, call) => {
    const { world, reply } = step(before, call);
    if (world === before) throw new Error(`${JSON.stringify(call)}: ${reply}`);
    return world;
  }, start);
}
const until = (leaseUntil: number, world: World): World => ({
  ...world,
  task: { ...world.task, leaseUntil },
});
const cancelled = (world: World): World => ({ ...world, task: { ...world.task, cancelled: true } });
/** The world after this many leases of ann have expired. */
function expired(times: number, start: World): World {
  return Array.from({ length: times }).reduce<World>(
    (world) => after(until(LONG_AGO, after(world, lease('ann'))), { type: 'expire' }),
    start,
  );
}

const fresh = newWorld(ITEMS, 'attempts');
const byErrors = newWorld(ITEMS, 'errors');
const leased = until(FAR_AWAY, after(fresh, lease('ann')));
const failedOnce = after(leased, byHolder('fail', 'ann', 1));
const thirdLease = until(FAR_AWAY, after(failedOnce, lease('bob'), byHolder('fail', 'bob', 2), lease('ann')));
const failed = after(thirdLease, report('ann', 3, [0], false, 'error'), byHolder('fail', 'ann', 3));
const done = after(leased, report('ann', 1, ALL));
const doneWithErrors = after(leased, report('ann', 1, [0, 1]), report('ann', 1, [2], true, 'error'));

const STATES: Readonly<Record<string, World>> = {
  pending: fresh,
  'pending, one lease expired': expired(1, fresh),
  'pending, one lease expired, with an outcome': after(expired(1, fresh), report('ann', 1, [0])),
  'pending, lease expired again after it was resumed': after(
    until(LONG_AGO, after(expired(1, fresh), renew('ann', 1))),
    { type: 'expire' },
  ),
  'pending, lapsed lease, three expiries': expired(3, fresh),
  'leased, resumed': until(FAR_AWAY, after(expired(2, fresh), renew('ann', 2))),
  'pending, released': after(leased, byHolder('release', 'ann', 1)),
  'pending, failed once, with a late outcome': after(failedOnce, report('ann', 1, [1])),
  'pending, retried by a person': after(failed, retry(true)),
  'pending, one expiry before the limit': expired(MAX_EXPIRIES - 1, fresh),
  leased: leased,
  'leased and overdue': until(LONG_AGO, leased),
  'leased again, with outcomes': until(
    FAR_AWAY,
    after(expired(1, fresh), lease('bob'), report('ann', 1, [0])),
  ),
  'leased for the third time': thirdLease,
  'leased after three expiries': until(FAR_AWAY, after(expired(3, fresh), lease('bob'))),
  'leased after a release, second charged attempt': until(
    FAR_AWAY,
    after(leased, byHolder('release', 'ann', 1), lease('ann'), byHolder('fail', 'ann', 2), lease('ann')),
  ),
  'leased for the third time, counting errors': until(FAR_AWAY, after(expired(2, byErrors), lease('ann'))),
  'leased after two errors, counting errors': until(
    FAR_AWAY,
    after(
      expired(1, byErrors),
      lease('ann'),
      byHolder('fail', 'ann', 2),
      lease('ann'),
      byHolder('fail', 'ann', 3),
      lease('ann'),
    ),
  ),
  'leased, overdue, one expiry before the limit': until(
    LONG_AGO,
    after(expired(MAX_EXPIRIES - 1, fresh), lease('bob')),
  ),
  'leased after a retry': until(FAR_AWAY, after(failed, retry(false), lease('bob'))),
  failed: failed,
  'failed by expiries': expired(MAX_EXPIRIES, fresh),
  done: done,
  'done with item errors': doneWithErrors,
  'done by a late result': after(expired(1, fresh), lease('bob'), report('ann', 1, ALL, true)),
  'pending, cancelled': cancelled(fresh),
  'leased, cancelled': cancelled(leased),
  'leased, overdue, cancelled': cancelled(until(LONG_AGO, leased)),
  'failed, cancelled': cancelled(failed),
  'done with item errors, cancelled': cancelled(doneWithErrors),
};

/** Every kind of call, with every relevant lease number and worker. */
function callsOn({ task, granted }: World): Call[] {
  const last = task.attempts;
  const holder = granted.at(-1) ?? 'ann';
  const other = holder === 'ann' ? 'bob' : 'ann';
  const names: [worker: string, attempt: number][] = [
    [holder, last],
    [other, last],
    [holder, last + 1],
    [granted[0] ?? 'ann', 1],
    [holder, 0],
  ];
  return [
    lease('ann'),
    lease('bob'),
    ...names.flatMap(([worker, attempt]) => [
      renew(worker, attempt),
      byHolder('release', worker, attempt),
      byHolder('fail', worker, attempt),
      report(worker, attempt, []),
      report(worker, attempt, [0]),
      report(worker, attempt, ALL, true),
      report(worker, attempt, [0], false, 'error'),
      report(worker, attempt, ALL, true, 'mixed'),
    ]),
    report(holder, last, [1], true),
    renew(holder, last, 'other-boot'),
    report(holder, last, [...ALL, ITEMS]),
    report(holder, last, [ITEMS], true),
    { type: 'expire' },
    retry(false),
    retry(true),
    { type: 'cancel' },
  ];
}

let db: FreshStore;
let task: OneTask;
beforeAll(async () => {
  db = await freshStore({ renewedLeaseSeconds: 600 });
  task = await oneTask(db.store, db.sql);
});
afterAll(() => db[Symbol.asyncDispose]());

describe('T1-T14: statements decide like core, for every call on a task that is', () => {
  it.each(Object.entries(STATES))('%s', async (_, world) => {
    await task.put(world);
    expect(comparable(await task.read())).toEqual(comparable(world));
    for (const call of callsOn(world)) {
      await task.put(world);
      const reply = await task.call(call);
      const real = { call, reply, world: comparable(await task.read()) };
      const decided = step(world, call);
      expect(real).toEqual({ call, reply: decided.reply, world: comparable(decided.world) });
    }
  });

  it('T1-T14: the calls above reach every status and many different replies', () => {
    const steps = Object.values(STATES).flatMap((world) => callsOn(world).map((call) => step(world, call)));
    expect(new Set(steps.map(({ world }) => world.task.status))).toEqual(new Set(TASK_STATUSES));
    expect(new Set(steps.map(({ reply }) => reply.replace(/lease .*/, 'lease'))).size).toBeGreaterThan(15);
  });
});
