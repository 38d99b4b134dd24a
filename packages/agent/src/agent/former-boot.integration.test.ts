import { join } from 'node:path';
import { submitJob } from '@macbatch/store/testing';
import { testFolder, until } from '@macbatch/testing';
import { expect, it, onTestFinished } from 'vitest';
import { Outbox } from '../outbox/outbox.ts';
import { scriptedRuntime } from '../testing/scripted-runtime.ts';
import { type TestAgent, TestPool } from '../testing/test-pool.ts';
import type { FormerBoots } from '../worker-folder/former-boots.ts';
import { RunningItems } from '../worker-folder/running-items.ts';

/** More than an item that kills its worker can need. */
const MOST_BOOTS = 10;

/** The boots before this one, as the worker's disk knows them. */
function boots(...former: readonly string[]): FormerBoots & { readonly forgotten: () => boolean } {
  let forgotten = false;
  return {
    former,
    forgotten: () => forgotten,
    forget: async () => {
      forgotten = true;
    },
  };
}

it('W8: after a crash, hands back what the former process held before it claims anything, like a lost lease', async () => {
  const pool = await TestPool.open();
  const id = await submitJob(pool.store, { items: 2, shardSize: 2 });
  const dead = scriptedRuntime({ hold: () => true });
  const killed = pool.start('a', dead, { bootId: 'boot-1', boots: boots(), leaseRequestsAtMost: 1 });
  await until(() => dead.running.length === 2);
  // Like a killed process: it sends nothing more, and its disk has no record of its leases.
  await killed.goAway();
  const former = boots('boot-1');
  const next = pool.start('a', scriptedRuntime(), { bootId: 'boot-2', boots: former });
  expect(await pool.ended(id)).toMatchObject({
    state: 'done',
    items: { ok: 2 },
    leases_granted: 2,
    lease_expired_events: 1,
  });
  const [task] = await pool.sql`select attempts - returns as charged, errors from tasks`;
  expect(task).toEqual({ charged: 2, errors: 0 });
  expect(former.forgotten()).toBe(true);
  expect(next.requests.slice(0, 3)).toEqual([
    '/v1/workers/heartbeat',
    '/v1/workers/heartbeat',
    '/v1/tasks/lease',
  ]);
});

it('W8: makes a second machine with the same worker id wait, and names the host that uses the id', async () => {
  const pool = await TestPool.open();
  const first = scriptedRuntime({ hold: () => true });
  const id = await submitJob(pool.store, { items: 4, shardSize: 1 });
  const one = pool.start('mac', first, {
    bootId: 'one',
    boots: boots(),
    hostname: 'mac-a.local',
    leaseRequestsAtMost: 2,
  });
  await until(() => first.running.length === 2);
  const two = pool.start('mac', scriptedRuntime(), {
    bootId: 'two',
    boots: boots(),
    hostname: 'mac-b.local',
  });
  await until(() => two.logged('heartbeat.failed').length > 2);
  expect(two.logged('heartbeat.failed')[0]).toMatchObject({
    reason: expect.stringContaining('mac is in use by a worker on mac-a.local'),
  });
  expect(two.agent.state).toBe('starting');
  expect(new Set(two.requests)).toEqual(new Set(['/v1/workers/heartbeat']));
  expect(await pool.job(id)).toMatchObject({ tasks: { leased: 2 } });

  // When the first goes offline, the second is admitted.
  one.ask();
  first.release(0, 1, 2, 3);
  await one.ended;
  expect(await pool.ended(id)).toMatchObject({ items: { ok: 4 }, lease_expired_events: 0 });
  expect(two.agent.state).toBe('running');
});

it('W8: asks for no more work when another machine took the worker id during a sleep', async () => {
  const pool = await TestPool.open();
  const one = pool.start('mac', scriptedRuntime(), {
    bootId: 'one',
    boots: boots(),
    hostname: 'mac-a.local',
  });
  await until(() => one.agent.state === 'running');
  one.away = true;
  await until(() => one.logged('heartbeat.failed').length > 0);
  await pool.sql`update workers set last_heartbeat_at = now() - interval '1 hour'`;
  const two = pool.start('mac', scriptedRuntime(), {
    bootId: 'two',
    boots: boots(),
    hostname: 'mac-b.local',
  });
  await until(() => two.agent.state === 'running');
  one.away = false;
  await until(() =>
    one.logged('heartbeat.failed').some(({ reason }) => String(reason).includes('mac-b.local')),
  );
  const id = await submitJob(pool.store, { items: 20, shardSize: 1 });
  expect(await pool.ended(id)).toMatchObject({ items: { ok: 20 } });
  const boot = await pool.sql`select distinct boot_id from leases where boot_id = 'one'`;
  // The request that was already open may lease one.
  expect(one.logged('task.leased').length).toBeLessThanOrEqual(1);
  expect(boot.length).toBeLessThanOrEqual(1);
});

it('W8: ends an item that kills the process of its worker each time, and runs all others', async () => {
  const pool = await TestPool.open();
  const folder = testFolder();
  const KILLER = 2;
  const id = await submitJob(pool.store, { items: 6, shardSize: 6 });
  const dead: TestAgent[] = [];
  let starts = 0;
  for (let boot = 1; boot <= MOST_BOOTS; boot += 1) {
    const runtime = scriptedRuntime({ hold: (n) => n === KILLER });
    const running = await RunningItems.open(join(folder, 'running.jsonl'), join(folder, 'crashed.json'));
    const { outbox } = await Outbox.open(join(folder, 'outbox.jsonl'));
    onTestFinished(() => outbox.close());
    const agent = pool.start('a', runtime, {
      bootId: `boot-${boot}`,
      boots: boots(...dead.map((_, n) => `boot-${n + 1}`)),
      concurrency: 3,
      leaseRequestsAtMost: 1,
      running,
      outbox,
    });
    const isOver = async () =>
      (await pool.job(id)).state !== 'queued' && (await pool.job(id)).state !== 'running';
    const end = await until(async () => {
      if (runtime.running.includes(KILLER)) return 'killed';
      return (await isOver()) && 'over';
    });
    if (end === 'over') break;
    // Like a killed process: it sends nothing more.
    agent.away = true;
    dead.push(agent);
    starts += 1;
  }
  expect(await pool.ended(id)).toMatchObject({ items: { ok: 5, error: 1 } });
  expect((await pool.results(id))[KILLER]?.error).toMatchObject({ code: 'worker_crashed' });
  expect(starts).toBe(4);
  const [task] = await pool.sql`select attempts - returns as charged, errors from tasks`;
  expect(task).toEqual({ charged: 5, errors: 0 });
  for (const agent of dead) agent.away = false;
});
