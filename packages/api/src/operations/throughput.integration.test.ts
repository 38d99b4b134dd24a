import type { Throughput } from '@macbatch/contract';
import { makeLeasesPass } from '@macbatch/store/testing';
import { expect, it } from 'vitest';
import { fileApp, HEARTBEAT, JOB } from '../testing/file-app.ts';
import { bearing, keyFor } from '../testing/keyed-app.ts';

const control = fileApp();
const { db, errors, send, refused } = control;
const keyed = fileApp({ open: false });

const sum = (numbers: readonly number[] = []) => numbers.reduce((total, each) => total + each, 0);

async function read(query = '', headers = {}, app = control): Promise<Throughput> {
  const response = await app.send('GET', `/v1/throughput?${query}`, undefined, headers);
  expect(response.status).toBe(200);
  return (await response.json()) as Throughput;
}

async function finishSome() {
  const [task, second] = await control.leased(['a', 'b', 'c', 'd'], 2, 2);
  const usage = { input_tokens: 5, output_tokens: 7.9, '"input_tokens': 3 };
  const outcomes = [
    { item_id: 'a', output: '1', usage },
    { item_id: 'b', error: { code: 'too_long', message: 'no' }, usage: { input_tokens: 1 } },
  ];
  const entry = { task_id: task?.task_id, attempt: 1, outcomes, final: true };
  await control.report([entry]);
  await control.report([entry]); // a repeated report
  return second;
}

it('counts recorded outcomes once, with their tokens, and expired leases', async () => {
  await finishSome();
  await makeLeasesPass(db.sql);
  await send('POST', '/v1/admin/reclaim');
  const { times, series, step_seconds: step } = await read();
  expect(step).toBe(60);
  expect(times.length).toBeGreaterThanOrEqual(60);
  const [all] = series;
  expect(series).toHaveLength(1);
  expect(all).toMatchObject({ key: '', name: null });
  expect(all?.ok).toHaveLength(times.length);
  expect([sum(all?.ok), sum(all?.error), sum(all?.input_tokens), sum(all?.output_tokens)]).toEqual([
    1, 1, 6, 7,
  ]);
  expect(sum(all?.leases_expired)).toBe(1);
});

it.each([
  [{ output_tokens: 2, input_tokens: 3 }, 3],
  [{ input_tokens: -3 }, 0],
  [{ input_tokens: 1e300 }, 1e9],
  [{ input_tokens: 1e-7 }, 0],
  [{ '\\"input_tokens\\":7,': 1, 'a\u0000': 2 }, 0],
  [{ '"input_tokens":': 1 }, 0],
  [{}, 0],
])('reads the tokens of the usage %j', async (usage, expected) => {
  const [task] = await control.leased(['a']);
  const outcomes = [{ item_id: 'a', output: '1', usage }];
  await control.report([{ task_id: task?.task_id, attempt: 1, outcomes, final: true }]);
  expect(sum((await read()).series[0]?.input_tokens)).toBe(expected);
});

it('has one series for each worker, model or job, and filters by them', async () => {
  const second = await finishSome();
  const outcomes = [{ item_id: 'c', output: '1' }];
  await control.report([{ task_id: second?.task_id, attempt: 1, outcomes, final: false }]);
  const job = second?.job_id ?? '';
  expect((await read('by=worker')).series).toMatchObject([{ key: 'ann' }]);
  expect((await read('by=model')).series).toMatchObject([{ key: 'noop' }]);
  expect((await read('by=job')).series).toMatchObject([{ key: job, name: null }]);
  expect((await read(`job=${job}&worker=ann&model=noop`)).series).toHaveLength(1);
  expect((await read('worker=bob')).series).toEqual([]);
});

it('adds minutes up to steps that begin at multiples of their length', async () => {
  await db.sql`
    insert into jobs (id, job_type, model, params, shard_size, retry_on, item_count, task_count, body_digest, name)
    values ('00000000-0000-7000-8000-000000000001', 'noop', 'm', '{}', 1, 'errors', 1, 1, '', 'reviews')`;
  await db.sql`
    insert into minute_counts (minute, job_id, worker_id, owner, model, items_ok)
    select '2026-01-01T10:00:00Z'::timestamptz + n * interval '1 minute', '00000000-0000-7000-8000-000000000001', 'w' || n % 30, '', 'm', 1
    from generate_series(0, 59) as n`;
  const query = 'from=2026-01-01T10:07:00Z&to=2026-01-01T10:55:00Z&step=600';
  const { from, to, times, series } = await read(`${query}&by=job`);
  expect([from, to, times.length]).toEqual(['2026-01-01T10:00:00.000Z', '2026-01-01T11:00:00.000Z', 6]);
  expect(series).toMatchObject([{ name: 'reviews', ok: [10, 10, 10, 10, 10, 10] }]);
  const byWorker = await read(`${query}&by=worker`);
  expect(byWorker.series).toHaveLength(20);
  expect(byWorker.series.at(-1)).toMatchObject({ key: null });
  expect(sum(byWorker.series.flatMap(({ ok }) => ok))).toBe(60);
});

it('deletes counts that are older than seven days', async () => {
  await db.sql`
    insert into minute_counts (minute, job_id, worker_id, owner, model)
    select now() - days * interval '1 day', gen_random_uuid(), 'ann', '', 'm' from unnest('{6,8,900}'::int[]) as days`;
  await send('POST', '/v1/workers/heartbeat', HEARTBEAT);
  expect(await db.sql`select from minute_counts`).toHaveLength(1);
});

it('shows each group the counts of its own jobs only', async () => {
  const admin = bearing(await keyFor(keyed.db.store, 'admin'));
  const [ours, theirs] = await Promise.all(
    ['us', 'them'].map(async (group) => bearing(await keyFor(keyed.db.store, 'submit', { group }))),
  );
  await keyed.send('POST', '/v1/jobs', { ...JOB, items: [{ id: 'a', payload: 1 }] }, ours);
  const lease = { worker_id: 'ann', boot_id: 'boot', lease_limit: 1, offers: [JOB] };
  const reply = await keyed.send('POST', '/v1/tasks/lease', lease, admin);
  const { tasks } = (await reply.json()) as { tasks: { task_id: string }[] };
  const entry = {
    task_id: tasks[0]?.task_id,
    attempt: 1,
    outcomes: [{ item_id: 'a', output: '1' }],
    final: true,
  };
  await keyed.send('POST', '/v1/tasks/complete_batch', { worker_id: 'ann', entries: [entry] }, admin);
  expect((await read('', ours, keyed)).series).toHaveLength(1);
  expect((await read('', theirs, keyed)).series).toEqual([]);
  expect((await read('', admin, keyed)).series).toHaveLength(1);
});

it.each([
  ['from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z', 'from'],
  ['from=2026-01-01T00:00:00Z&to=2026-01-07T00:00:00Z&step=60', 'step'],
  ['step=61', 'step'],
  ['by=color', 'by'],
  ['from=yesterday', 'from'],
])('A3: refuses the query %s', async (query, field) => {
  const problem = await refused(() => send('GET', `/v1/throughput?${query}`));
  expect(problem).toMatchObject({ code: 'invalid_field', field });
});

it('no request caused an internal error', () => {
  expect([...errors, ...keyed.errors]).toEqual([]);
});
