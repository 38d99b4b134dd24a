import { JobExplanation, WorkerList, type WorkerView } from '@macbatch/contract';
import { beforeEach, describe, expect, it } from 'vitest';
import { fileApp, HEARTBEAT, LEASE } from '../testing/file-app.ts';
import { bearing, keyFor } from '../testing/keyed-app.ts';

const { db, send, errors } = fileApp({ open: false });

let keys: Readonly<Record<'ours' | 'theirs' | 'admin', string>>;
beforeEach(async () => {
  keys = {
    ours: await keyFor(db.store, 'submit', { group: 'us' }),
    theirs: await keyFor(db.store, 'submit', { group: 'them' }),
    admin: await keyFor(db.store, 'admin'),
  };
});

async function submitted(key: string, model: string, items = 2): Promise<string> {
  const body = {
    job_type: 'noop',
    model,
    shard_size: 1,
    items: Array.from({ length: items }, (_, n) => ({ id: `i${n}`, payload: n })),
  };
  const response = await send('POST', '/v1/jobs', body, bearing(key));
  return ((await response.json()) as { id: string }).id;
}
async function beat(worker: string, over: object = {}): Promise<void> {
  const body = { ...HEARTBEAT, worker_id: worker, ...over };
  expect((await send('POST', '/v1/workers/heartbeat', body, bearing(keys.admin))).status).toBe(200);
}
async function lease(worker: string, model: string, limit = 1): Promise<void> {
  const offers = [{ job_type: 'noop', model }];
  const body = { ...LEASE, worker_id: worker, lease_limit: limit, offers };
  expect((await send('POST', '/v1/tasks/lease', body, bearing(keys.admin))).status).toBe(200);
}
async function explained(id: string, key: string) {
  const response = await send('GET', `/v1/jobs/${id}/explanation`, undefined, bearing(key));
  const text = await response.text();
  return { text, explanation: JobExplanation.parse(JSON.parse(text)) };
}
async function workers(key: string): Promise<{ text: string; list: readonly WorkerView[] }> {
  const text = await (await send('GET', '/v1/workers', undefined, bearing(key))).text();
  return { text, list: WorkerList.parse(JSON.parse(text)).workers };
}

describe('the explanation of a job', () => {
  it('states what a job waits for, its progress, and its estimated end with a range', async () => {
    const id = await submitted(keys.ours, 'noop', 10);
    const rates = [{ job_type: 'noop', model: 'noop', items_per_second: 0.5 }];
    await beat('ann', { rates });
    await lease('ann', 'noop', 2);
    const { explanation } = await explained(id, keys.ours);
    expect(explanation).toMatchObject({
      job: { id, state: 'running', items: { total: 10, open: 10 } },
      waits_for: 'running',
      workers: 1,
      busy_workers: 1,
      offered_models: ['noop'],
      before: { jobs: 0, items: 0 },
      held: { tasks: 2, workers: 1, absent_workers: 0, absent_lease_seconds: null },
      pace: { told: 0.5, measured: 0 },
      no_estimate: null,
    });
    const { estimate } = explanation;
    if (estimate === null) throw new Error('no estimate');
    expect(estimate.low_seconds).toBeLessThan(estimate.likely_seconds);
    expect(estimate.likely_seconds).toBeCloseTo(21, 0);
    expect(estimate.likely_seconds).toBeLessThan(estimate.high_seconds);
    const after = (at: string) => (Date.parse(at) - Date.parse(explanation.at)) / 1000;
    expect(after(estimate.likely_at)).toBeCloseTo(estimate.likely_seconds, 2);
    expect(after(estimate.low_at)).toBeCloseTo(estimate.low_seconds, 2);
    expect(after(estimate.high_at)).toBeCloseTo(estimate.high_seconds, 2);
  });

  it('W1: shows what the model server of a worker says, and gives no estimate', async () => {
    const id = await submitted(keys.ours, 'noop', 10);
    const trouble = {
      job_type: 'noop',
      model: 'noop',
      endpoint: 'openai-endpoint here',
      code: 'unauthorized',
      message: 'the model server answered 401: Incorrect API key provided',
      since_seconds: 12,
      next_try_seconds: 3,
    };
    await beat('ann');
    await lease('ann', 'noop', 2);
    const rates = [{ job_type: 'noop', model: 'noop', items_per_second: 0.5 }];
    await beat('ann', { rates, troubles: [trouble] });
    const { explanation } = await explained(id, keys.ours);
    expect(explanation).toMatchObject({
      waits_for: 'waiting_for_worker',
      troubles: [{ worker_id: 'ann', code: 'unauthorized', message: trouble.message, needs_attention: true }],
      estimate: null,
      no_estimate: 'no_worker',
    });
    expect(explanation.troubles[0]?.since_seconds).toBeGreaterThanOrEqual(12);
    expect(explanation.troubles[0]?.next_try_seconds).toBeLessThanOrEqual(3);
    const { list } = await workers(keys.admin);
    expect(list).toMatchObject([{ state: 'nothing_offered', troubles: [{ code: 'unauthorized' }] }]);
    await beat('ann', { rates });
    expect((await explained(id, keys.ours)).explanation).toMatchObject({
      waits_for: 'running',
      troubles: [],
    });
  });

  it('states why there is no estimate', async () => {
    const id = await submitted(keys.ours, 'rare');
    await beat('ann');
    const { explanation } = await explained(id, keys.ours);
    expect(explanation).toMatchObject({
      waits_for: 'waiting_for_worker',
      offered_models: ['noop'],
      estimate: null,
      no_estimate: 'no_worker',
    });
  });

  it('works for a rate so low that the end is after the latest date', async () => {
    const id = await submitted(keys.ours, 'noop');
    await beat('ann', { rates: [{ job_type: 'noop', model: 'noop', items_per_second: 1e-15 }] });
    expect((await explained(id, keys.ours)).explanation.estimate?.high_at).toBe('9999-12-31T00:00:00.000Z');
  });

  it('counts the jobs of other groups that go first, and reveals nothing else about them', async () => {
    const others = await submitted(keys.theirs, 'secret-model', 1);
    const id = await submitted(keys.ours, 'noop', 3);
    await beat('ann', { hostname: 'their-mac.local', models: ['noop', 'secret-model'] });
    const { explanation, text } = await explained(id, keys.ours);
    expect(explanation).toMatchObject({ waits_for: 'behind_other_jobs', before: { jobs: 1, items: 1 } });
    for (const secret of [others, 'them', 'their-mac', 'ann']) expect(text).not.toContain(secret);
    // Every caller may see the models that workers offer.
    expect(explanation.offered_models).toEqual(['noop', 'secret-model']);
  });
});

describe('the list of workers', () => {
  const stateOf = async () => (await workers(keys.admin)).list.map(({ state }) => state);

  it('states why a worker is idle', async () => {
    await beat('ann');
    expect(await stateOf()).toEqual(['no_open_job']);
    await submitted(keys.ours, 'rare');
    expect(await stateOf()).toEqual(['no_job_for_its_models']);
    await submitted(keys.ours, 'noop', 1);
    expect(await stateOf()).toEqual(['work_waits']);
    await lease('ann', 'noop');
    expect(await stateOf()).toEqual(['working']);
    await beat('bob');
    expect(await stateOf()).toEqual(['working', 'everything_leased']);
    await beat('bob', { models: [] });
    expect(await stateOf()).toEqual(['working', 'nothing_offered']);
    await beat('bob', { offline: true });
    await db.sql`update workers set last_heartbeat_at = now() - interval '90 seconds'`;
    expect(await stateOf()).toEqual(['silent', 'offline']);
    expect((await workers(keys.admin)).list[0]?.heartbeat_age_seconds).toBeGreaterThanOrEqual(90);
  });

  it('shows what a worker runs, the age of its oldest lease, and what it ran last', async () => {
    await beat('ann');
    await beat('bob');
    await submitted(keys.ours, 'noop', 3);
    await lease('ann', 'noop', 2);
    await db.sql`update leases set leased_at = now() - interval '70 seconds' where task_id = 1`;
    const [ann, bob] = (await workers(keys.ours)).list;
    const noop = { job_type: 'noop', model: 'noop' };
    expect(ann).toMatchObject({ tasks_leased: 2, running: [{ ...noop, tasks: 2 }], last_ran: noop });
    expect(ann?.oldest_lease_seconds).toBeGreaterThanOrEqual(70);
    expect(bob).toMatchObject({ running: [], last_ran: null, oldest_lease_seconds: null });
  });

  it('hides models that only jobs of other groups name', async () => {
    await beat('ann');
    await submitted(keys.theirs, 'secret-model');
    await submitted(keys.ours, 'our-model');
    const kind = (model: string) => ({ job_type: 'noop', model });
    const ours = await workers(keys.ours);
    expect(ours.list).toMatchObject([{ state: 'no_job_for_its_models', wanted: [kind('our-model')] }]);
    // It also hides a model that a worker runs but does not offer.
    await lease('ann', 'secret-model');
    const running = await workers(keys.ours);
    expect(running.list).toMatchObject([{ state: 'working', running: [], last_ran: null }]);
    for (const { text } of [ours, running]) expect(text).not.toContain('secret-model');
    expect((await workers(keys.admin)).list).toMatchObject([
      { running: [{ ...kind('secret-model'), tasks: 1 }], last_ran: kind('secret-model') },
    ]);
    await beat('bob');
    expect((await workers(keys.admin)).list[1]?.wanted).toEqual([kind('secret-model'), kind('our-model')]);
  });
});

it('no request caused an internal error', () => {
  expect(errors).toEqual([]);
});
