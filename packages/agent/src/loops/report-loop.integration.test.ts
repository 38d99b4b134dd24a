import { until } from '@macbatch/testing';
import { expect, it } from 'vitest';
import { finished, first, leased, namesOf, never } from '../testing/report-fixture.ts';

it('W4: reports what ended together in one call, a hundred tasks at most', async () => {
  const { pool, id, tasks, reports, acknowledged, sent, succeed } = await leased({
    items: 250,
    shardSize: 1,
  });
  for (const task of tasks) succeed(task);
  await reports.run(finished, never);
  expect(sent.map(({ entries }) => entries)).toEqual([100, 100, 50]);
  expect(acknowledged).toEqual(namesOf(tasks));
  expect(await pool.job(id)).toMatchObject({ state: 'done', items: { ok: 250 } });
});

it('W4: limits a report to about a megabyte, but sends at least one task', async () => {
  const { pool, id, tasks, reports, sent, succeed } = await leased({ items: 6, shardSize: 1 });
  for (const [n, task] of tasks.entries()) succeed(task, n === 0 ? 3_000_000 : 400_000);
  await reports.run(finished, never);
  expect(sent.map(({ entries }) => entries)).toEqual([1, 2, 2, 1]);
  expect(await pool.job(id)).toMatchObject({ items: { ok: 6 } });
});

it('W4: sends complete tasks and outcomes of running ones together, once nothing is left to start', async () => {
  const { tasks, reports, sent, acknowledged, succeed } = await leased({ items: 8, shardSize: 2, slots: 2 });
  const { one, two, half, last } = first(tasks, 'one', 'two', 'half', 'last');
  const ended = new AbortController();
  const running = reports.run(ended.signal, never);
  succeed(one);
  succeed(two);
  succeed(half, 1, [0]);
  await new Promise((resolve) => setImmediate(resolve));
  expect(sent).toEqual([]);
  succeed(last, 1, [0]);
  await until(() => acknowledged.length === 2);
  expect(sent).toEqual([{ path: '/v1/tasks/complete_batch', entries: 4 }]);
  ended.abort();
  await running;
});

it('W6: keeps a report until the control plane has answered', async () => {
  const { pool, id, tasks, reports, acknowledged, reach, succeed, logged } = await leased({
    items: 2,
    shardSize: 1,
  });
  const ended = new AbortController();
  reach.away = true;
  const running = reports.run(ended.signal, never);
  for (const task of tasks) succeed(task);
  await until(() => logged('report.delayed').length > 2);
  expect(acknowledged).toEqual([]);
  reach.away = false;
  ended.abort();
  await running;
  expect(acknowledged).toEqual(namesOf(tasks));
  expect(await pool.job(id)).toMatchObject({ state: 'done' });
});

it('W7: reports a task that is handed back, then releases it, and releases no lost lease', async () => {
  const { pool, id, tasks, machine, reports, sent, acknowledged, succeed, end } = await leased({
    items: 6,
    shardSize: 2,
    slots: 1,
  });
  const { half, untouched, lost } = first(tasks, 'half', 'untouched', 'lost');
  succeed(half, 1, [0]);
  machine.dispatch({
    kind: 'heartbeat_answered',
    plan: {
      renews: machine.state.tasks.map(({ lease, number }) => ({ ...lease, task: number })),
      suspects: [],
      returnsFormerBoots: false,
    },
    sentAt: Date.now(),
    reply: { deployment_id: 'd', lost: [{ ...lost, code: 'lease_lost' }], settled: [] },
  });
  machine.dispatch({ kind: 'drain' });
  end(half, 1, { kind: 'aborted' });
  await reports.run(finished, never);
  expect(sent).toEqual([
    { path: '/v1/tasks/complete_batch', entries: 1 },
    { path: '/v1/tasks/release', entries: 2 },
  ]);
  expect(acknowledged).toEqual(namesOf([lost, untouched, half]));
  expect(await pool.job(id)).toMatchObject({ items: { ok: 1 }, tasks: { pending: 2, leased: 1 } });
});

it('W7: says how many reports are left when it gives up', async () => {
  const { tasks, reports, reach, succeed, logged, acknowledged } = await leased({ items: 2, shardSize: 1 });
  const giveUp = new AbortController();
  reach.away = true;
  for (const task of tasks) succeed(task);
  const running = reports.run(finished, giveUp.signal);
  await until(() => logged('report.delayed').length > 0);
  giveUp.abort();
  await running;
  expect(logged('report.abandoned')).toEqual([{ event: 'report.abandoned', tasks: 2 }]);
  expect(acknowledged).toEqual([]);
});
