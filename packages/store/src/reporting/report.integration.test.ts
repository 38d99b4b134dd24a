import { describe, expect, it } from 'vitest';

const db = fileStore();

import { statement } from '../database/statement.ts';
import { claim } from '../leasing/claim.ts';
import type { ClaimArguments, LeasedTask } from '../leasing/lease.ts';
import {
  audit,
  completion,
  expireLeases,
  type FileStore,
  failure,
  fileStore,
  itemError,
  leaseTasks,
  submitJob,
  success,
} from '../testing/index.ts';
import type { Entry } from './report.ts';

async function leaseOne(db: FileStore, worker: string): Promise<LeasedTask> {
  const [task] = await leaseTasks(db.store, worker);
  if (task === undefined) throw new Error('nothing to lease');
  return task;
}
async function loseLease(db: FileStore): Promise<void> {
  await expireLeases(db.sql);
  await db.store.reclaim({ force: true });
}
const part = (task: LeasedTask, ...items: number[]): Entry => ({
  ...completion(task),
  outcomes: items.map((n) => success(`item-${n}`, `"${task.attempt}"`)),
  final: false,
});
async function rows(db: FileStore): Promise<string[]> {
  const found = await db.sql<{ row: string }[]>`
    select seq || ' ' || coalesce(output, error) || ' by ' || attempt as row from results order by seq`;
  return found.map(({ row }) => row);
}

describe('first result wins', () => {
  it('T7: a second completion changes nothing, is no error, and is told whose was first', async () => {
    await submitJob(db.store, { items: 2 });
    const first = await leaseOne(db, 'ann');
    await loseLease(db);
    const second = await leaseOne(db, 'bob');
    expect(await db.store.report('bob', [completion(second, '"b"')])).toEqual([
      { outcome: 'accepted', status: 'done' },
    ]);
    expect(await db.store.report('ann', [completion(first, '"a"')])).toEqual([
      { outcome: 'superseded', status: 'done' },
    ]);
    expect(await db.store.report('bob', [completion(second, '"c"')])).toEqual([
      { outcome: 'duplicate', status: 'done' },
    ]);
    expect(await rows(db)).toEqual(['0 "b" by 2', '1 "b" by 2']);
    expect(await audit(db.url)).toEqual([]);
  });

  it('T9: a late result is accepted while the task is pending, and while another holds it', async () => {
    await submitJob(db.store, { items: 2 });
    const first = await leaseOne(db, 'ann');
    await loseLease(db);
    expect(await db.store.report('ann', [part(first, 0)])).toEqual([
      { outcome: 'accepted', status: 'pending' },
    ]);
    const second = await leaseOne(db, 'bob');
    expect(await db.store.report('ann', [part(first, 1)])).toEqual([{ outcome: 'accepted', status: 'done' }]);
    expect(await db.store.report('bob', [part(second, 1)])).toEqual([
      { outcome: 'superseded', status: 'done' },
    ]);
    expect(await rows(db)).toEqual(['0 "1" by 1', '1 "1" by 1']);
  });

  it('I3: of overlapping parts from two workers at once each item keeps one outcome, and the counts are exact', async () => {
    for (let run = 0; run < 12; run += 1) {
      const jobId = await submitJob(db.store, { items: 6, shardSize: 6 });
      const late = await leaseOne(db, 'ann');
      await loseLease(db);
      const current = await leaseOne(db, 'bob');
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

  it('I3: of two completions at once exactly one is accepted', async () => {
    await submitJob(db.store, { items: 20, shardSize: 1 });
    const late = await leaseTasks(db.store, 'ann', 20);
    await loseLease(db);
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

describe('what was never granted', () => {
  it.each<[string, (task: LeasedTask) => [worker: string, entry: Entry], string]>([
    ['a task that the worker never leased', (task) => ['bob', completion(task)], 'not_leased'],
    ['an attempt from the future', (task) => ['ann', { ...completion(task), attempt: 2 }], 'not_leased'],
    ['a task that is not there', (task) => ['ann', { ...completion(task), taskId: '999' }], 'not_found'],
    [
      "an item that is not the task's",
      (task) => ['ann', { ...completion(task), outcomes: [success('item-1')] }],
      'unknown_item',
    ],
    [
      'an item missing though it is final',
      (task) => ['ann', { ...completion(task), outcomes: [] }],
      'missing_items',
    ],
  ])('T9: %s is refused, and nothing of the entry is kept', async (_what, change, code) => {
    await submitJob(db.store, { items: 2, shardSize: 1 });
    const [worker, entry] = change(await leaseOne(db, 'ann'));
    expect(await db.store.report(worker, [entry])).toMatchObject([{ outcome: 'refused', code }]);
    expect(await rows(db)).toEqual([]);
    expect(await audit(db.url)).toEqual([]);
  });

  it('T10: an error from a worker that lost the lease changes nothing and is noted', async () => {
    await submitJob(db.store, { items: 1 });
    const late = await leaseOne(db, 'ann');
    await loseLease(db);
    await leaseOne(db, 'bob');
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

  it('A3: of many entries the bad ones are refused and the others stand', async () => {
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

describe('errors', () => {
  it("I1: one item's permanent error is its outcome, and does not fail its neighbours", async () => {
    const jobId = await submitJob(db.store, { items: 3 });
    const task = await leaseOne(db, 'ann');
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

  it('T6: an error sends the task back, and the next worker gets only the items without an outcome', async () => {
    await submitJob(db.store, { items: 4 });
    const task = await leaseOne(db, 'ann');
    const both = { ...part(task, 1, 3), error: failure(task).error };
    expect(await db.store.report('ann', [both])).toEqual([{ outcome: 'accepted', status: 'pending' }]);
    const again = await leaseOne(db, 'bob');
    expect(again.items.map(({ itemId }) => itemId)).toEqual(['item-0', 'item-2']);
    expect(await db.store.report('bob', [completion(again)])).toEqual([
      { outcome: 'accepted', status: 'done' },
    ]);
    expect(await audit(db.url)).toEqual([]);
  });

  it('T6: the third error fails the task; its recorded outcomes stay, the others read as its error', async () => {
    const jobId = await submitJob(db.store, { items: 2 });
    for (const n of [1, 2, 3]) {
      const task = await leaseOne(db, `worker-${n}`);
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
    expect(await rows(db)).toHaveLength(1);
    expect(await audit(db.url)).toEqual([]);
  });

  it('T6: an error that waited for its lease to be granted finds it granted', async () => {
    const jobId = await submitJob(db.store, { items: 1 });
    const leasing = await db.sql.reserve();
    await leasing`begin`;
    await statement<ClaimArguments, unknown>(claim).run(leasing, {
      worker: 'ann',
      boot: 'boot',
      limit: 1,
      leaseMs: 600_000,
      jobs: [jobId],
      floors: ['0'],
      errorsAtMost: [8],
      leftToOthersMs: [0],
    });
    const failed = db.store.report('ann', [failure({ taskId: '1', attempt: 1 })]);
    for (;;) {
      const waiting =
        await db.sql`select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
      if (waiting.length > 0) break;
    }
    await leasing`commit`;
    leasing.release();
    expect(await failed).toEqual([{ outcome: 'accepted', status: 'pending' }]);
    expect(await audit(db.url)).toEqual([]);
  });
});
