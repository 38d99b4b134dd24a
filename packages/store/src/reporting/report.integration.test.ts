import { describe, expect, it } from 'vitest';
import { claimTasks } from '../leasing/claim-tasks.ts';
import type { LeasedTask } from '../tasks/leased-tasks.ts';
import {
  audit,
  completion,
  failure,
  itemError,
  leaseOne,
  leaseTasks,
  makeLeasesPass,
  sharedStore,
  submitJob,
  success,
  waitForBlockedSession,
} from '../testing/index.ts';
import type { Entry } from './report-entry.ts';

const db = sharedStore();

async function expireAll(): Promise<void> {
  await makeLeasesPass(db.sql);
  await db.store.reclaim({ force: true });
}
const part = (task: LeasedTask, ...items: number[]): Entry => ({
  ...completion(task),
  outcomes: items.map((n) => success(`item-${n}`, `"${task.attempt}"`)),
  final: false,
});
async function resultRows(): Promise<string[]> {
  const found = await db.sql<{ row: string }[]>`
    select seq || ' ' || coalesce(output, error) || ' by ' || attempt as row from results order by seq`;
  return found.map(({ row }) => row);
}

describe('T7: the first result wins', () => {
  it('T7: answers a second completion with duplicate or superseded, and changes nothing', async () => {
    await submitJob(db.store, { items: 2 });
    const first = await leaseOne(db.store, 'ann');
    await expireAll();
    const second = await leaseOne(db.store, 'bob');
    expect(await db.store.report('bob', [completion(second, '"b"')])).toEqual([
      { outcome: 'accepted', status: 'done' },
    ]);
    expect(await db.store.report('ann', [completion(first, '"a"')])).toEqual([
      { outcome: 'superseded', status: 'done' },
    ]);
    expect(await db.store.report('bob', [completion(second, '"c"')])).toEqual([
      { outcome: 'duplicate', status: 'done' },
    ]);
    expect(await resultRows()).toEqual(['0 "b" by 2', '1 "b" by 2']);
    expect(await audit(db.url)).toEqual([]);
  });

  it('T9: accepts a late result while the task is pending or held by another worker', async () => {
    await submitJob(db.store, { items: 2 });
    const first = await leaseOne(db.store, 'ann');
    await expireAll();
    expect(await db.store.report('ann', [part(first, 0)])).toEqual([
      { outcome: 'accepted', status: 'pending' },
    ]);
    const second = await leaseOne(db.store, 'bob');
    expect(await db.store.report('ann', [part(first, 1)])).toEqual([{ outcome: 'accepted', status: 'done' }]);
    expect(await db.store.report('bob', [part(second, 1)])).toEqual([
      { outcome: 'superseded', status: 'done' },
    ]);
    expect(await resultRows()).toEqual(['0 "1" by 1', '1 "1" by 1']);
  });

  it('I3: keeps one outcome per item when two workers report overlapping items concurrently', async () => {
    for (let run = 0; run < 12; run += 1) {
      const jobId = await submitJob(db.store, { items: 6, shardSize: 6 });
      const late = await leaseOne(db.store, 'ann');
      await expireAll();
      const current = await leaseOne(db.store, 'bob');
      const verdicts = await Promise.all([
        db.store.report('ann', [part(late, 0, 1, 2)]),
        db.store.report('bob', [part(current, 2, 3)]),
        db.store.report('ann', [part(late, 3, 4)]),
        db.store.report('bob', [part(current, 4, 5, 0)]),
      ]);
      const job = await db.store.readJob(jobId);
      expect(job).toMatchObject({ state: 'done', items: { total: 6, ok: 6, error: 0 }, tasks: { done: 1 } });
      expect(verdicts.flat().filter((verdict) => verdict.status === 'done').length).toBeGreaterThanOrEqual(1);
    }
    expect(await audit(db.url)).toEqual([]);
  });

  it('I3: accepts exactly one of two concurrent completions', async () => {
    await submitJob(db.store, { items: 20, shardSize: 1 });
    const late = await leaseTasks(db.store, 'ann', 20);
    await expireAll();
    const current = await leaseTasks(db.store, 'bob', 20);
    const [anns, bobs] = await Promise.all([
      db.store.report(
        'ann',
        late.map((task) => completion(task, '"a"')),
      ),
      db.store.report(
        'bob',
        current.toReversed().map((task) => completion(task, '"b"')),
      ),
    ]);
    for (const [i, verdict] of anns.entries()) {
      const outcomes = [verdict.outcome, bobs.toReversed()[i]?.outcome];
      expect(new Set(outcomes)).toEqual(new Set(['accepted', 'superseded']));
    }
    expect(await audit(db.url)).toEqual([]);
  });
});

describe('refused entries', () => {
  it.each<[string, (task: LeasedTask) => [worker: string, entry: Entry], string]>([
    ['the worker never leased the task', (task) => ['bob', completion(task)], 'not_leased'],
    [
      'the attempt is higher than the current one',
      (task) => ['ann', { ...completion(task), attempt: 2 }],
      'not_leased',
    ],
    ['the task does not exist', (task) => ['ann', { ...completion(task), taskId: '999' }], 'not_found'],
    [
      'an item is not in the task',
      (task) => ['ann', { ...completion(task), outcomes: [success('item-1')] }],
      'unknown_item',
    ],
    [
      'an item is missing although the entry is final',
      (task) => ['ann', { ...completion(task), outcomes: [] }],
      'missing_items',
    ],
  ])('T9: refuses the whole entry when %s', async (_what, change, code) => {
    await submitJob(db.store, { items: 2, shardSize: 1 });
    const [worker, entry] = change(await leaseOne(db.store, 'ann'));
    expect(await db.store.report(worker, [entry])).toMatchObject([{ outcome: 'refused', code }]);
    expect(await resultRows()).toEqual([]);
    expect(await audit(db.url)).toEqual([]);
  });

  it('T10: ignores an error from a lease that ended, and records an event', async () => {
    await submitJob(db.store, { items: 1 });
    const late = await leaseOne(db.store, 'ann');
    await expireAll();
    await leaseOne(db.store, 'bob');
    expect(await db.store.report('ann', [failure(late)])).toEqual([
      { outcome: 'refused', status: 'leased', code: 'lease_lost' },
    ]);
    expect(await db.sql`select status, assigned_worker, errors from tasks`).toEqual([
      { status: 'leased', assigned_worker: 'bob', errors: 0 },
    ]);
    expect(await db.sql`select worker_id, attempt from events where kind = 'stale_failure'`).toEqual([
      { worker_id: 'ann', attempt: 1 },
    ]);
  });

  it('A3: refuses a bad entry and accepts the others of the report', async () => {
    await submitJob(db.store, { items: 10, shardSize: 1 });
    const tasks = await leaseTasks(db.store, 'ann', 10);
    const entries = tasks.map((task, i) =>
      i === 4 ? { ...completion(task), attempt: 7 } : completion(task),
    );
    const verdicts = await db.store.report('ann', entries);
    expect(verdicts.map(({ outcome }) => outcome)).toEqual(
      tasks.map((_, i) => (i === 4 ? 'refused' : 'accepted')),
    );
  });
});

describe('reported errors', () => {
  it('I1: records an item error as the outcome of that item alone', async () => {
    const jobId = await submitJob(db.store, { items: 3 });
    const task = await leaseOne(db.store, 'ann');
    const outcomes = [success('item-0'), itemError('item-1'), success('item-2')];
    await db.store.report('ann', [{ ...completion(task), outcomes }]);
    expect(await db.store.readJob(jobId)).toMatchObject({
      state: 'done',
      items: { total: 3, ok: 2, error: 1, failed: 0, open: 0 },
      workers: [{ workerId: 'ann', tasksDone: 1, tasksFailed: 0, itemsOk: 2, itemsError: 1 }],
    });
    expect(await db.store.resultOf(jobId, 'item-1')).toMatchObject({
      output: null,
      error: itemError('item-1').error,
    });
  });

  it('T6: sends the task back on an error, and leases only its items without an outcome', async () => {
    await submitJob(db.store, { items: 4 });
    const task = await leaseOne(db.store, 'ann');
    const both = { ...part(task, 1, 3), error: failure(task).error };
    expect(await db.store.report('ann', [both])).toEqual([{ outcome: 'accepted', status: 'pending' }]);
    const again = await leaseOne(db.store, 'bob');
    expect(again.items.map(({ itemId }) => itemId)).toEqual(['item-0', 'item-2']);
    expect(await db.store.report('bob', [completion(again)])).toEqual([
      { outcome: 'accepted', status: 'done' },
    ]);
    expect(await audit(db.url)).toEqual([]);
  });

  it('T6: fails the task on the third error, and shows that error for its items without an outcome', async () => {
    const jobId = await submitJob(db.store, { items: 2 });
    for (const n of [1, 2, 3]) {
      const task = await leaseOne(db.store, `worker-${n}`);
      const entries =
        n === 1 ? [{ ...part(task, 0), error: failure(task).error }] : [failure(task, `broke ${n}`)];
      await db.store.report(`worker-${n}`, entries);
    }
    const job = await db.store.readJob(jobId);
    expect(job).toMatchObject({ state: 'failed', items: { ok: 1, error: 0, failed: 1, open: 0 } });
    expect(job?.workers.map(({ workerId, tasksFailed }) => [workerId, tasksFailed])).toEqual([
      ['worker-1', 0],
      ['worker-2', 0],
      ['worker-3', 1],
    ]);
    expect((await db.store.resultOf(jobId, 'item-0'))?.output).toBe('"1"');
    expect((await db.store.resultOf(jobId, 'item-1'))?.error).toContain('broke 3');
    expect(await resultRows()).toHaveLength(1);
    expect(await audit(db.url)).toEqual([]);
  });

  it('T6: accepts an error that waited for its own lease to be granted', async () => {
    const jobId = await submitJob(db.store, { items: 1 });
    const leasing = await db.sql.reserve();
    await leasing`begin`;
    await claimTasks.run(leasing, {
      worker: 'ann',
      boot: 'boot',
      limit: 1,
      maxBytes: 1000,
      leaseMs: 600_000,
      jobs: [jobId],
      floors: ['0'],
      errorsAtMost: [8],
      leftToOthersMs: [0],
    });
    const failed = db.store.report('ann', [failure({ taskId: '1', attempt: 1 })]);
    await waitForBlockedSession(db.sql);
    await leasing`commit`;
    leasing.release();
    expect(await failed).toEqual([{ outcome: 'accepted', status: 'pending' }]);
    expect(await audit(db.url)).toEqual([]);
  });
});
