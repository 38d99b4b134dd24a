import type { Outcome } from '@macbatch/contract';
import { audit } from '@macbatch/store/testing';
import { until } from '@macbatch/testing';
import { expect, it } from 'vitest';
import { finished, first, leased, namesOf, never } from '../testing/report-fixture.ts';

it('W4: splits a refused report until only the outcome that is too large is refused', async () => {
  const { pool, id, tasks, reports, acknowledged, succeed, logged } = await leased({
    items: 9,
    shardSize: 3,
    maxJsonBytes: 2000,
  });
  const { small, large, hopeless } = first(tasks, 'small', 'large', 'hopeless');
  succeed(small);
  succeed(large, 1200);
  succeed(hopeless, 1, [0]);
  succeed(hopeless, 3000, [1]);
  succeed(hopeless, 1, [2]);
  await reports.run(finished, never);
  expect(acknowledged).toEqual(namesOf(tasks));
  expect(logged('report.refused')).toEqual([]);
  expect(await pool.job(id)).toMatchObject({
    state: 'done',
    items: { ok: 8, error: 1 },
    tasks: { done: 3 },
  });
  expect((await pool.results(id))[7]).toMatchObject({ id: 'item-7', error: { code: 'output_too_large' } });
  expect(await audit(pool.url)).toEqual([]);
});

it('T6: sends the error of a task with the last part of a report that is too large', async () => {
  const { pool, id, tasks, reports, succeed, end } = await leased({
    items: 3,
    shardSize: 3,
    maxJsonBytes: 2000,
  });
  const { task } = first(tasks, 'task');
  succeed(task, 1200, [0, 2]);
  const broken = {
    kind: 'failed',
    failure: 'transient',
    error: { code: 'broken', message: 'it broke' },
  } as const;
  for (let tries = 0; tries < 3; tries += 1)
    end(task, 1, { ...broken, retryAfterMs: null, bytesArrived: false, jitter: 0.5 });
  await reports.run(finished, never);
  expect(await pool.job(id)).toMatchObject({ items: { ok: 2, open: 1 }, tasks: { pending: 1 } });
  const [row] = await pool.sql<{ errors: number }[]>`select errors from tasks`;
  expect(row).toEqual({ errors: 1 });
});

it('W4: reports the other tasks when one entry is refused', async () => {
  const { pool, id, tasks, reports, acknowledged, succeed, end, logged } = await leased({
    items: 2,
    shardSize: 1,
  });
  const { bad, good } = first(tasks, 'bad', 'good');
  end(bad, 0, { kind: 'outcome', outcome: { item_id: 'item-1', output: '1' } });
  succeed(good);
  await reports.run(finished, never);
  expect(acknowledged).toEqual(namesOf(tasks));
  expect(logged('task.reported')).toMatchObject([
    { outcome: 'refused', code: 'unknown_item' },
    { outcome: 'accepted', task_status: 'pending' },
    { outcome: 'accepted', task_status: 'done' },
  ]);
  // Nothing says how its item ended, so the task has failed once.
  expect(await pool.job(id)).toMatchObject({ items: { ok: 1, open: 1 }, tasks: { pending: 1 } });
});

it.each<[string, Extract<Outcome, { output: string }>, string]>([
  [
    'a model name that is too long',
    { item_id: '', output: '1', model: { name: 'm'.repeat(501), digest: null } },
    'invalid_entry',
  ],
  ['an output that is not JSON', { item_id: '', output: 'yes' }, 'invalid_output'],
])('A3: loses only the outcome with %s, whose item ends with an error', async (_what, bad, code) => {
  const { pool, id, tasks, reports, acknowledged, succeed, end, logged } = await leased({
    items: 14,
    shardSize: 7,
  });
  const { mixed, good } = first(tasks, 'mixed', 'good');
  succeed(mixed, 1, [0, 1, 2, 3, 4, 6]);
  end(mixed, 5, { kind: 'outcome', outcome: { ...bad, item_id: 'item-5' } });
  succeed(good);
  await reports.run(finished, never);
  expect(acknowledged).toEqual(namesOf(tasks));
  expect(logged('report.refused')).toEqual([]);
  expect(await pool.job(id)).toMatchObject({
    state: 'done',
    items: { ok: 13, error: 1 },
    tasks: { done: 2 },
  });
  expect((await pool.results(id))[5]).toMatchObject({
    id: 'item-5',
    error: { code: 'outcome_not_recorded', message: expect.stringContaining(code) as string },
  });
  expect(await audit(pool.url)).toEqual([]);
});

it('A3: continues a running task after the control plane refused one of its outcomes', async () => {
  const { pool, id, tasks, machine, reports, succeed, end } = await leased({
    items: 3,
    shardSize: 3,
    slots: 1,
  });
  const { task } = first(tasks, 'task');
  end(task, 0, { kind: 'outcome', outcome: { item_id: 'item-0', output: 'not JSON' } });
  const ended = new AbortController();
  const running = reports.run(ended.signal, never);
  machine.dispatch({ kind: 'report_due' });
  reports.wake();
  succeed(task, 1, [1]);
  succeed(task, 1, [2]);
  ended.abort();
  await running;
  expect(await pool.job(id)).toMatchObject({ state: 'done', items: { ok: 2, error: 1 } });
});

it('A2: loses only the entry of a reply that cannot be read', async () => {
  const { pool, id, tasks, reports, acknowledged, reach, succeed, logged } = await leased({
    items: 3,
    shardSize: 1,
  });
  reach.unreadableReplyTo = first(tasks, 'first').first.task_id;
  for (const task of tasks) succeed(task);
  await reports.run(finished, never);
  expect(logged('report.unreadable')).toMatchObject([{ path: 'entries[0].code' }]);
  expect(logged('report.delayed')).toEqual([]);
  expect(acknowledged).toEqual(namesOf(tasks));
  expect(await pool.job(id)).toMatchObject({ items: { ok: 3 } });
});

it('W6: blames an outcome for an internal error of the control plane only after three calls', async () => {
  const { pool, id, tasks, reports, reach, succeed, logged } = await leased({ items: 2, shardSize: 2 });
  const { task } = first(tasks, 'task');
  reach.internalErrorFor = 'xxxxx';
  succeed(task, 1, [0]);
  succeed(task, 5, [1]);
  await reports.run(finished, never);
  expect(logged('report.delayed')).toHaveLength(2);
  expect((await pool.results(id)).map(({ status, error }) => error?.code ?? status)).toEqual([
    'ok',
    'outcome_not_recorded',
  ]);
});

it('W6: keeps all outcomes while the control plane fails every report', async () => {
  const { pool, id, tasks, reports, reach, succeed, logged } = await leased({ items: 2, shardSize: 2 });
  const { task } = first(tasks, 'task');
  reach.internalErrorFor = 'outcomes';
  succeed(task);
  const ended = new AbortController();
  const running = reports.run(ended.signal, never);
  ended.abort();
  await until(() => logged('report.delayed').length > 8);
  reach.internalErrorFor = null;
  await running;
  expect(await pool.job(id)).toMatchObject({ state: 'done', items: { ok: 2 } });
});
