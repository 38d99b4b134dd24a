import type { LeaseReply, Pause, PoolEvent, WorkerView } from '@macbatch/contract';
import { beforeEach, describe, expect, it } from 'vitest';
import { fileApp, HEARTBEAT, JOB, LEASE } from '../testing/file-app.ts';
import { bearing, keyFor } from '../testing/keyed-app.ts';

const control = fileApp();
const { db, errors, send, refused } = control;
const keyed = fileApp({ open: false });

const pause = (body: object = {}, id = 'ann') => send('POST', `/v1/workers/${id}/pause`, body);
const resume = () => send('POST', '/v1/workers/ann/resume');
const submit = () => send('POST', '/v1/jobs', { ...JOB, items: [{ id: 'a', payload: 1 }] });

type Leased = ReturnType<typeof LeaseReply.parse>;
async function lease(waitSeconds = 0): Promise<Leased> {
  const response = await send('POST', '/v1/tasks/lease', { ...LEASE, wait_seconds: waitSeconds });
  expect(response.status).toBe(200);
  return (await response.json()) as Leased;
}
async function worker(): Promise<WorkerView | undefined> {
  const { workers } = (await (await send('GET', '/v1/workers')).json()) as { workers: WorkerView[] };
  return workers[0];
}
async function events(): Promise<readonly string[]> {
  const { events: all } = (await (await send('GET', '/v1/events?worker=ann')).json()) as {
    events: PoolEvent[];
  };
  return all.map(({ kind }) => kind).reverse();
}

/** Whether a promise is still pending after all earlier requests were answered. */
async function isOpen(promise: Promise<unknown>): Promise<boolean> {
  await send('GET', '/v1/workers');
  await send('GET', '/v1/jobs');
  return (await Promise.race([promise, Promise.resolve('open')])) === 'open';
}

beforeEach(async () => {
  await send('POST', '/v1/workers/heartbeat', HEARTBEAT);
});

it('leases nothing to a paused worker, tells it why, and leases again when it is resumed', async () => {
  await submit();
  const reply = (await (await pause({ reason: 'film night' })).json()) as { pause: Pause };
  expect(reply.pause).toMatchObject({ reason: 'film night', until: null, by: null, drain: false });
  expect(await lease()).toEqual({ tasks: [], pause: reply.pause });
  const heartbeat = await (await send('POST', '/v1/workers/heartbeat', HEARTBEAT)).json();
  expect(heartbeat).toMatchObject({ pause: reply.pause });
  expect(await worker()).toMatchObject({ alive: true, pause: reply.pause });
  expect(await (await resume()).json()).toEqual({ worker_id: 'ann', pause: null });
  expect(await lease()).toMatchObject({ tasks: [{ attempt: 1 }], pause: null });
  expect(await worker()).toMatchObject({ pause: null });
  expect(await events()).toEqual(['worker_paused', 'worker_resumed']);
});

it('keeps the start of a pause when its reason or its end changes', async () => {
  const first = (await (await pause()).json()) as { pause: Pause };
  const until = '2999-01-01T00:00:00.000Z';
  const second = await (await pause({ until, drain: true })).json();
  expect(second).toMatchObject({ pause: { since: first.pause.since, until, drain: true, reason: null } });
});

it('ends a pause by itself when its time has passed, and begins a new one then', async () => {
  await submit();
  await pause({ until: '2999-01-01T00:00:00Z', reason: 'old' });
  await db.sql`update workers set paused_until = now() - interval '1 second', paused_at = now() - interval '1 hour'`;
  expect(await worker()).toMatchObject({ pause: null });
  const { pause: next } = (await (await pause()).json()) as { pause: Pause };
  expect(Date.now() - Date.parse(next.since)).toBeLessThan(1_800_000);
  expect(next).toMatchObject({ reason: null, until: null });
  await db.sql`update workers set paused_until = now() - interval '1 second'`;
  expect((await lease()).tasks).toHaveLength(1);
  await resume();
  expect(await events()).toEqual(['worker_paused', 'worker_paused']);
});

it('A3: refuses a pause that ends in the past, and unknown workers', async () => {
  const past = await refused(() => pause({ until: '2001-01-01T00:00:00Z' }));
  expect(past).toMatchObject({ code: 'invalid_field', field: 'until' });
  expect(await worker()).toMatchObject({ pause: null });
  expect(await refused(() => pause({}, 'bob'))).toMatchObject({ status: 404 });
  expect(await refused(() => send('POST', '/v1/workers/bob/resume'))).toMatchObject({ status: 404 });
  expect(await refused(() => pause({ reason: '' }))).toMatchObject({ field: 'reason' });
});

it('lets a paused worker finish, renew and report what it holds', async () => {
  const [task] = await control.leased(['a', 'b'], 1);
  await pause();
  const name = { task_id: task?.task_id, attempt: task?.attempt };
  const heartbeat = await send('POST', '/v1/workers/heartbeat', { ...HEARTBEAT, renew: [name] });
  expect(await heartbeat.json()).toMatchObject({ lost: [], pause: { drain: false } });
  const outcomes = [{ item_id: 'a', output: '1' }];
  expect(await control.report([{ ...name, outcomes, final: true }])).toMatchObject([{ outcome: 'accepted' }]);
});

it('a waiting lease call gets nothing of what is submitted during a pause, and the task when it is resumed', async () => {
  const waiting = lease(30);
  expect(await isOpen(waiting)).toBe(true);
  await pause();
  await submit();
  expect(await isOpen(waiting)).toBe(true);
  await resume();
  expect(await waiting).toMatchObject({ tasks: [{ attempt: 1 }], pause: null });
});

it('a waiting lease call ends with the reason of a pause that began while it waited', async () => {
  const waiting = lease(1);
  await pause({ reason: 'hot' });
  await submit();
  expect(await waiting).toMatchObject({ tasks: [], pause: { reason: 'hot' } });
});

it('does not count a paused worker in explanations', async () => {
  const { id } = (await (await submit()).json()) as { id: string };
  await pause();
  const explanation = await (await send('GET', `/v1/jobs/${id}/explanation`)).json();
  expect(explanation).toMatchObject({
    waits_for: 'waiting_for_worker',
    workers: 0,
    paused_workers: 1,
    no_estimate: 'no_worker',
  });
});

it('lists what a worker holds, by job, only for jobs that the caller may see', async () => {
  const [ours, theirs] = await Promise.all(
    ['us', 'them'].map(async (group) => bearing(await keyFor(keyed.db.store, 'submit', { group }))),
  );
  const admin = bearing(await keyFor(keyed.db.store, 'admin'));
  await keyed.send('POST', '/v1/workers/heartbeat', HEARTBEAT, admin);
  const job = { ...JOB, items: [{ id: 'a', payload: 1 }] };
  const { id } = (await (await keyed.send('POST', '/v1/jobs', job, ours)).json()) as { id: string };
  await keyed.send('POST', '/v1/tasks/lease', LEASE, admin);
  const holding = async (headers: Record<string, string> = {}) => {
    const response = await keyed.send('GET', '/v1/workers', undefined, headers);
    return ((await response.json()) as { workers: WorkerView[] }).workers[0]?.holding;
  };
  expect(await holding(ours)).toMatchObject([{ job: id, tasks: 1, items: 1, copies: false }]);
  expect(await holding(theirs)).toEqual([]);
});

it('lets the key of a worker pause and see this worker, and no other one', async () => {
  const admin = bearing(await keyFor(keyed.db.store, 'admin'));
  for (const id of ['ann', 'bob'])
    await keyed.send('POST', '/v1/workers/heartbeat', { ...HEARTBEAT, worker_id: id }, admin);
  const own = bearing(await keyFor(keyed.db.store, 'worker'));
  const paused = await keyed.send('POST', '/v1/workers/ann/pause', {}, own);
  expect(await paused.json()).toMatchObject({ pause: { by: 'worker' } });
  const other = await keyed.refused(() => keyed.send('POST', '/v1/workers/bob/pause', {}, own));
  expect(other).toMatchObject({ status: 403, field: 'id' });
  const listed = (await (await keyed.send('GET', '/v1/workers', undefined, own)).json()) as {
    workers: WorkerView[];
  };
  expect(listed.workers.map(({ worker_id }) => worker_id)).toEqual(['ann']);
});

it('no request caused an internal error', () => {
  expect([...errors, ...keyed.errors]).toEqual([]);
});

describe('a worker that pauses itself', () => {
  const OWN = { rule: 'on_battery', reason: 'on battery (78 %)', since_seconds: 60 };
  const beat = (more: object = {}) => send('POST', '/v1/workers/heartbeat', { ...HEARTBEAT, ...more });

  it('is shown as paused with its rule, its reason and the time at which that began', async () => {
    await beat({ own_pause: OWN });
    const first = await worker();
    expect(first?.pause).toMatchObject({ rule: 'on_battery', reason: OWN.reason, by: null, until: null });
    expect(Date.now() - Date.parse(first?.pause?.since ?? '')).toBeGreaterThan(30_000);
    await beat({ own_pause: { ...OWN, reason: 'on battery (77 %)', since_seconds: 70 } });
    expect((await worker())?.pause).toEqual({ ...first?.pause, reason: 'on battery (77 %)' });
    await beat();
    expect((await worker())?.pause).toBeNull();
  });

  it('is not told to pause by the answer to its heartbeat', async () => {
    const reply = await (await beat({ own_pause: OWN })).json();
    expect(reply).toMatchObject({ pause: null });
  });

  it('gets work when it asks: it goes on before the control plane hears of it', async () => {
    await submit();
    await beat({ own_pause: OWN });
    expect(await lease()).toMatchObject({ tasks: [{ attempt: 1 }], pause: null });
  });

  it('shows what a person has said instead, and its own rule again afterwards', async () => {
    await beat({ own_pause: OWN });
    await pause({ reason: 'film night' });
    expect((await worker())?.pause).toMatchObject({ rule: null, reason: 'film night' });
    await resume();
    expect((await worker())?.pause).toMatchObject({ rule: 'on_battery' });
  });
});
