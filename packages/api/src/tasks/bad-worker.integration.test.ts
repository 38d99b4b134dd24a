import type { HeartbeatReply, LeasedTask } from '@macbatch/contract';
import { makeLeasesPass, rowCounts } from '@macbatch/store/testing';
import { describe, expect, it } from 'vitest';
import { completed, fileApp, HEARTBEAT, JOB, LEASE } from '../testing/file-app.ts';
import { leaseCalls, nameOf } from '../testing/lease-calls.ts';

const control = fileApp();
const { send, refused, report } = control;

const { lease, leased, submit, tasks } = leaseCalls(control);
const heartbeat = (body: unknown) => send('POST', '/v1/workers/heartbeat', body);

async function lost(extra: object): Promise<unknown[]> {
  const response = await heartbeat({ ...HEARTBEAT, ...extra });
  expect(response.status).toBe(200);
  return ((await response.json()) as { lost: unknown[] }).lost;
}

const itemsIn = (held: readonly LeasedTask[]) => held.reduce((sum, task) => sum + task.items.length, 0);
const only = (held: readonly LeasedTask[]): LeasedTask => {
  const [task, ...more] = held;
  if (task === undefined || more.length > 0) throw new Error(`expected one task, got ${held.length}`);
  return task;
};

describe('A3: invalid values that a worker sends', () => {
  it.each([
    ['is negative', '-1'],
    ['is just below 0', '-1e-9'],
    ['is 1e308', '1e308'],
    ['is more than any number', '1e999'],
    ['is above what anybody can do', '100001'],
    ['is null, as NaN becomes', 'null'],
    ['is a text', '"fast"'],
    ['is a list', '[2]'],
  ])('refuses a rate that %s in a lease, and ignores it in a heartbeat', async (_what, rate) => {
    await control.leased(['a'], 1);
    const offer = `{"job_type":"noop","model":"noop","items_per_second":${rate}}`;
    const before = await tasks();
    expect(
      await refused(() => lease(`{"worker_id":"ann","boot_id":"b","slots":2,"offers":[${offer}]}`)),
    ).toMatchObject({ status: 400, code: 'invalid_field', field: 'offers[0].items_per_second' });
    const said = JSON.stringify({ ...HEARTBEAT, rates: [] }).replace('"rates":[]', `"rates":[${offer}]`);
    const { ignored } = (await (await heartbeat(said)).json()) as HeartbeatReply;
    expect(ignored.map(({ path }) => path)).toEqual(['rates[0].items_per_second']);
    expect(await control.db.sql`select rates from workers`).toEqual([{ rates: '[]' }]);
    expect(await tasks()).toEqual(before);
  });

  it('refuses NaN, which is not JSON', async () => {
    const body =
      '{"worker_id":"ann","boot_id":"b","offers":[{"job_type":"noop","model":"noop","items_per_second":NaN}]}';
    expect(await refused(() => lease(body))).toMatchObject({ status: 400, code: 'invalid_json' });
  });

  it.each([-1, 0, 1.5, 1e9, '4', null])('refuses a lease limit of %j', async (limit) => {
    await submit(2, 1);
    expect(await refused(() => lease({ ...LEASE, lease_limit: limit }))).toMatchObject({
      status: 400,
      code: 'invalid_field',
      field: 'lease_limit',
    });
    expect(await rowCounts(control.db.sql)).toMatchObject({ leases: 0 });
  });

  it.each([
    ['lease_limit', -1],
    ['lease_limit', 1.5],
    ['lease_limit', 1e9],
    ['concurrency', -1],
    ['concurrency', 1e9],
  ])('refuses a heartbeat with a %s of %j', async (field, value) => {
    expect(await refused(() => heartbeat({ ...HEARTBEAT, [field]: value }))).toMatchObject({
      status: 400,
      code: 'invalid_field',
      field,
    });
  });
});

it.each([
  ['that no item can have', 'a\u0000b'],
  ['that is half a character', 'a\ud800'],
  ['that is too long', 'x'.repeat(513)],
  ['that is empty', ''],
])('A3: ignores a suspect with an id %s, and renews the lease', async (_what, itemId) => {
  await submit(1, 1);
  const task = only(await leased({ renews: true }));
  await control.db.sql`update tasks set lease_until = now() + interval '1 second'`;
  const suspects = [{ ...nameOf(task), item_id: itemId }];
  const response = await heartbeat({ ...HEARTBEAT, suspects, renew: [nameOf(task)] });
  const { ignored, lost: gone } = (await response.json()) as HeartbeatReply;
  expect(ignored.map(({ path }) => path)).toEqual(['suspects[0].item_id']);
  expect(gone).toEqual([]);
  expect(await control.db.sql`select from copies`).toHaveLength(0);
  const [row] = await control.db
    .sql`select lease_until > now() + interval '80 seconds' as renewed from tasks`;
  expect(row?.['renewed']).toBe(true);
});

describe('a worker that asks for too much', () => {
  const BOAST = {
    worker_id: 'overstating',
    slots: 4,
    renews: true,
    offers: [{ ...JOB, items_per_second: 1e5 }],
  };
  const MODEST = { worker_id: 'ann', slots: 4, renews: true, offers: [{ ...JOB, items_per_second: 2 }] };

  async function hoard(): Promise<LeasedTask[]> {
    const held: LeasedTask[] = [];
    for (;;) {
      const more = await leased(BOAST);
      if (more.length === 0) return held;
      held.push(...more);
    }
  }

  it('holds at most a thousand items for any reported rate, if it sends its slots', async () => {
    await submit(5000, 10);
    const rates = [{ ...JOB, items_per_second: 1e5 }];
    expect((await heartbeat({ ...HEARTBEAT, worker_id: 'overstating', rates })).status).toBe(200);
    const held = await hoard();
    expect(itemsIn(held)).toBe(1000);
    // Other workers still get 45 seconds of work.
    expect(itemsIn(await leased(MODEST))).toBe(90);
    // It gets more after it has finished some.
    await report(
      held.slice(0, 20).map((task) => completed(task)),
      'overstating',
    );
    expect(itemsIn(await leased(BOAST))).toBeGreaterThan(0);
  });

  it('cannot block a job by renewing without finishing', async () => {
    await submit(3000, 10);
    const held = await hoard();
    for (;;) {
      const mine = await leased(MODEST);
      if (mine.length === 0) break;
      expect(await lost({ worker_id: 'overstating', renew: held.map(nameOf) })).toEqual([]);
      expect(await leased(BOAST)).toEqual([]);
      await report(mine.map((task) => completed(task)));
    }
    const [left] = await control.db
      .sql`select count(*)::int as tasks from tasks where status <> 'done' and assigned_worker = 'overstating'`;
    expect(left?.['tasks']).toBe(held.length);
    expect(await rowCounts(control.db.sql)).toMatchObject({ results: 3000 - itemsIn(held) });
    // It is overdue, so idle workers copy its items.
    await control.db.sql`update job_tallies set last_at = now() - interval '1 hour'`;
    for (;;) {
      const copies = await leased({ ...MODEST, copies: true });
      if (copies.length === 0) break;
      for (const each of await lost({ worker_id: 'overstating', renew: held.map(nameOf) }))
        expect(each).toMatchObject({ code: 'already_done' });
      await report(copies.map((task) => ({ ...completed(task), final: false })));
    }
    expect(await rowCounts(control.db.sql)).toMatchObject({ results: 3000 });
    expect((await tasks()).every(({ status }) => status === 'done')).toBe(true);
  });

  it('holds at most as many tasks as one heartbeat can renew, if it sends a lease limit', async () => {
    await submit(10_050, 1);
    const held: LeasedTask[] = [];
    for (;;) {
      const more = await leased({ lease_limit: 1000, renews: true });
      if (more.length === 0) break;
      held.push(...more);
    }
    expect(held).toHaveLength(10_000);
    const names = held.map(nameOf);
    expect(await lost({ renew: names })).toEqual([]);
    const before = await tasks();
    const tooMany = { ...HEARTBEAT, renew: [...names, { task_id: '10001', attempt: 1 }] };
    expect(await refused(() => heartbeat(tooMany))).toMatchObject({
      status: 400,
      code: 'invalid_field',
      field: 'renew',
    });
    expect(await tasks()).toEqual(before);
    expect(await leased({ worker_id: 'bob', lease_limit: 1000 })).toHaveLength(50);
  });
});

describe('a worker that names leases of other workers', () => {
  it('renews none of ten thousand leases that it never held', async () => {
    await control.leased(['a', 'b', 'c']);
    const before = await tasks();
    const renew = Array.from({ length: 10_000 }, (_, n) => ({ task_id: String(n + 1), attempt: 1 }));
    const answer = await lost({ worker_id: 'bob', renew });
    expect(answer).toHaveLength(10_000);
    expect(answer.slice(0, 4)).toEqual([
      ...renew.slice(0, 3).map((name) => ({ ...name, code: 'lease_lost' })),
      { ...renew[3], code: 'not_found' },
    ]);
    expect(await tasks()).toEqual(before);
  });

  it('renews nothing with an earlier or a future attempt', async () => {
    const former = only(await control.leased(['a'], 1));
    await makeLeasesPass(control.db.sql);
    expect((await send('POST', '/v1/admin/reclaim')).status).toBe(200);
    expect(await leased({ worker_id: 'bob' })).toMatchObject([{ attempt: 2 }]);
    const before = await tasks();
    const renew = [nameOf(former), { ...nameOf(former), attempt: 0 }, { ...nameOf(former), attempt: 3 }];
    expect(await lost({ renew })).toEqual([
      { ...renew[0], code: 'lease_lost' },
      { ...renew[1], code: 'not_leased' },
      { ...renew[2], code: 'not_leased' },
    ]);
    expect(await tasks()).toEqual(before);
  });

  it('cannot report, fail or release them', async () => {
    const task = only(await control.leased(['a'], 1));
    const before = await tasks();
    const error = { code: 'broken', message: 'it broke' };
    const givenUp = { ...nameOf(task), outcomes: [], final: false, error };
    expect(await report([completed(task)], 'bob')).toMatchObject([
      { outcome: 'refused', code: 'not_leased' },
    ]);
    expect(await report([givenUp], 'bob')).toMatchObject([{ outcome: 'refused', code: 'lease_lost' }]);
    const back = await send('POST', '/v1/tasks/release', { worker_id: 'bob', tasks: [nameOf(task)] });
    expect(await back.json()).toMatchObject({ tasks: [{ outcome: 'refused', code: 'lease_lost' }] });
    expect(await tasks()).toEqual(before);
    expect(await rowCounts(control.db.sql)).toMatchObject({ results: 0 });
    // The holder's lease is unchanged.
    expect(await report([completed(task)])).toMatchObject([{ outcome: 'accepted', task_status: 'done' }]);
  });
});

it('accepts the result of a worker whose models changed while it held the task', async () => {
  const task = only(await control.leased(['a', 'b'], 1));
  expect(await lost({ job_types: ['chat'], models: ['other'], renew: [nameOf(task)] })).toEqual([]);
  expect(await leased({ offers: [{ job_type: 'chat', model: 'other' }] })).toEqual([]);
  expect(await report([completed(task)])).toMatchObject([{ outcome: 'accepted', task_status: 'done' }]);
});
