import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { audit, makeLeasesPass, submitJob } from '@macbatch/store/testing';
import { until } from '@macbatch/testing';
import { expect, it, onTestFinished } from 'vitest';
import { Outbox } from '../outbox/outbox.ts';
import { scriptedRuntime } from '../testing/scripted-runtime.ts';
import { type TestAgent, TestPool } from '../testing/test-pool.ts';

const always = () => true;
const numbers = (count: number) => Array.from({ length: count }, (_, n) => n);

/** The path of a new outbox. Its folder is removed when the test has finished. */
function outboxPath(): string {
  const folder = mkdtempSync(join(tmpdir(), 'macbatch-outbox-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'outbox.jsonl');
}

async function openOutbox(path: string): Promise<Outbox> {
  const { outbox } = await Outbox.open(path);
  onTestFinished(() => outbox.close().catch(() => undefined));
  return outbox;
}

/** Ends an agent that cannot report. Its outcomes stay in its outbox. */
async function endAway(agent: TestAgent, outbox: Outbox): Promise<void> {
  await agent.goAway();
  agent.ask();
  agent.forceQuit();
  await agent.ended;
  await outbox.close();
}

const isEmpty = (path: string) => statSync(path).size === 0;

it('W6: reports outcomes once the control plane is back, and runs nothing twice', async () => {
  const pool = await TestPool.open();
  const id = await submitJob(pool.store, { items: 6, shardSize: 3 });
  const path = outboxPath();
  const runtime = scriptedRuntime({ hold: always });
  const a = pool.start('a', runtime, { outbox: await openOutbox(path), leaseLimit: 2, concurrency: 6 });
  await until(() => runtime.running.length === 6);
  await a.goAway();
  runtime.release(...numbers(6));
  await until(() => a.logged('report.delayed').length > 2 && a.logged('heartbeat.failed').length > 0);
  expect(await pool.job(id)).toMatchObject({ items: { ok: 0, open: 6 } });
  const kept = readFileSync(path, 'utf8');
  for (const n of numbers(6)) expect(kept).toContain(`"item_id":"item-${n}"`);
  expect(statSync(path).mode & 0o777).toBe(0o600);

  a.away = false;
  expect(await pool.ended(id)).toMatchObject({ state: 'done', items: { ok: 6 }, leases_granted: 2 });
  expect(runtime.started.toSorted((x, y) => x - y)).toEqual(numbers(6));
  await until(() => isEmpty(path));
  expect(await audit(pool.url)).toEqual([]);
});

it('W6: reports after a restart what the former process finished, and immediately hands back the rest', async () => {
  const pool = await TestPool.open();
  const id = await submitJob(pool.store, { items: 8, shardSize: 8 });
  const path = outboxPath();
  const first = scriptedRuntime({ hold: (n) => n >= 4 });
  const outbox = await openOutbox(path);
  // Two items are left to start, so finished outcomes are not sent yet.
  const a = pool.start('a', first, { outbox, concurrency: 2, reportMs: 1e9 });
  await until(() => first.running.length === 2 && readFileSync(path, 'utf8').includes('"item-3"'));
  await endAway(a, outbox);
  expect(await pool.job(id)).toMatchObject({ items: { ok: 0 }, tasks: { leased: 1 } });

  const second = scriptedRuntime();
  const again = pool.start('a', second, { outbox: await openOutbox(path), bootId: 'second' });
  expect(await pool.ended(id)).toMatchObject({
    state: 'done',
    items: { ok: 8 },
    lease_expired_events: 0,
    leases_granted: 2,
  });
  expect(again.logged('outbox.recovered')).toMatchObject([{ tasks: 1, outcomes: 4 }]);
  expect(second.started).toEqual([4, 5, 6, 7]);
  expect((await pool.results(id)).map(({ attempt }) => attempt)).toEqual([1, 1, 1, 1, 2, 2, 2, 2]);
  await until(() => isEmpty(path));
  expect(await audit(pool.url)).toEqual([]);
});

it('W6: reports recovered outcomes before it leases anything, even when their lease has expired', async () => {
  const pool = await TestPool.open();
  const id = await submitJob(pool.store, { items: 4, shardSize: 2 });
  const path = outboxPath();
  const first = scriptedRuntime({ hold: always });
  const outbox = await openOutbox(path);
  const a = pool.start('a', first, { outbox, leaseRequestsAtMost: 1 });
  await until(() => first.running.length === 2);
  await a.goAway();
  first.release(0, 1);
  await until(() => a.logged('report.delayed').length > 0);
  await endAway(a, outbox);
  await makeLeasesPass(pool.sql);
  await pool.client.call('reclaim', {});

  const second = scriptedRuntime();
  const again = pool.start('a', second, { outbox: await openOutbox(path), bootId: 'second' });
  expect(await pool.ended(id)).toMatchObject({ state: 'done', items: { ok: 4 }, leases_granted: 2 });
  expect(second.started).toEqual([2, 3]);
  expect(again.requests.indexOf('/v1/tasks/complete_batch')).toBeLessThan(
    again.requests.indexOf('/v1/tasks/lease'),
  );
  expect(await audit(pool.url)).toEqual([]);
});

it('W6: keeps records of another deployment without sending them, and continues with new work', async () => {
  const [here, there] = [await TestPool.open(), await TestPool.open()];
  // Test databases are copies of one database and have the same id.
  await there.sql`update deployment set id = gen_random_uuid()`;
  const [jobHere, jobThere] = await Promise.all(
    [here, there].map((pool) => submitJob(pool.store, { items: 2, shardSize: 2 })),
  );
  const path = outboxPath();
  const first = scriptedRuntime({ hold: (n) => n === 1 });
  const outbox = await openOutbox(path);
  const a = there.start('a', first, { outbox });
  await until(() => first.running.length === 1 && readFileSync(path, 'utf8').includes('"item-0"'));
  await endAway(a, outbox);
  const kept = readFileSync(path, 'utf8');

  // Worker, task id and lease number are the same as in the other deployment.
  const second = scriptedRuntime();
  const outboxHere = await openOutbox(path);
  const b = here.start('a', second, { outbox: outboxHere });
  expect(await here.ended(String(jobHere))).toMatchObject({ state: 'done', items: { ok: 2 } });
  expect(second.started).toEqual([0, 1]);
  expect(b.logged('outbox.foreign')).toMatchObject([{ tasks: 1 }]);
  expect(b.logged('outbox.recovered')).toEqual([]);
  expect(readFileSync(path, 'utf8').startsWith(kept)).toBe(true);
  b.ask();
  await b.ended;
  await outboxHere.close();

  const third = scriptedRuntime();
  const c = there.start('a', third, { outbox: await openOutbox(path) });
  expect(await there.ended(String(jobThere))).toMatchObject({ state: 'done', items: { ok: 2 } });
  expect(c.logged('outbox.recovered')).toMatchObject([{ tasks: 1, outcomes: 1 }]);
  expect(third.started).toEqual([1]);
  await until(() => isEmpty(path));
  for (const pool of [here, there]) expect(await audit(pool.url)).toEqual([]);
});

/** Agent a has finished a task but could not report it. Its lease has expired, and b runs the task. */
async function lateReport() {
  const pool = await TestPool.open();
  const id = await submitJob(pool.store, { items: 2, shardSize: 2 });
  const path = outboxPath();
  const early = scriptedRuntime({ hold: always });
  const a = pool.start('a', early, { outbox: await openOutbox(path), leaseRequestsAtMost: 1 });
  await until(() => early.running.length === 2);
  await a.goAway();
  early.release(0, 1);
  await until(() => a.logged('report.delayed').length > 0);
  await makeLeasesPass(pool.sql);
  await pool.client.call('reclaim', {});
  const successor = scriptedRuntime({ hold: always });
  const b = pool.start('b', successor);
  await until(() => successor.running.length === 2);
  return { pool, id, path, early, a, successor, b };
}

it('T9: records the first result even if its lease expired and another worker holds the task', async () => {
  const { pool, id, path, a, successor, b } = await lateReport();
  a.away = false;
  expect(await pool.ended(id)).toMatchObject({ state: 'done', items: { ok: 2 }, lease_expired_events: 1 });
  successor.release(0, 1);
  await until(() => isEmpty(path) && successor.running.length === 0);
  expect(a.logged('task.reported')).toMatchObject([{ attempt: 1, outcome: 'accepted' }]);
  expect((await pool.results(id)).map(({ worker }) => worker)).toEqual(['a', 'a']);
  b.ask();
  await b.ended;
  expect(await audit(pool.url)).toEqual([]);
});

it('T7: drops a late result from the outbox when it is superseded', async () => {
  const { pool, id, path, early, a, successor } = await lateReport();
  successor.release(0, 1);
  expect(await pool.ended(id)).toMatchObject({ state: 'done', items: { ok: 2 } });
  expect(isEmpty(path)).toBe(false);
  a.away = false;
  await until(() => isEmpty(path));
  expect(a.logged('task.reported')).toMatchObject([{ attempt: 1, outcome: 'superseded' }]);
  expect((await pool.results(id)).map(({ worker }) => worker)).toEqual(['b', 'b']);
  expect([early.started.length, successor.started.length]).toEqual([2, 2]);
  expect(await audit(pool.url)).toEqual([]);
});
