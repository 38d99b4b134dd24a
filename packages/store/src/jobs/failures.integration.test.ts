import { expect, it } from 'vitest';
import {
  audit,
  completion,
  failure,
  itemError,
  leaseTasks,
  sharedStore,
  submitJob,
  success,
} from '../testing/index.ts';

const db = sharedStore();

const errorOf = (itemId: string, code: string, message: string) => ({
  ...itemError(itemId),
  error: JSON.stringify({ code, message }),
});

async function readJob(id: string) {
  const job = await db.store.readJob(id);
  if (job === null) throw new Error(`There is no job ${id}.`);
  return job;
}

/** A job with an ok item, three items whose prompts are too long, one refusal, and one failed task of two items. */
async function jobWithFailures(): Promise<string> {
  const jobId = await submitJob(db.store, { items: 7, shardSize: 5 });
  const [first] = await leaseTasks(db.store, 'ann', 1);
  if (first === undefined) throw new Error('There was nothing to lease.');
  const outcomes = [
    success('item-0', '1'),
    errorOf('item-1', 'context_length', '9000 tokens'),
    errorOf('item-2', 'model_refused', 'I cannot'),
    errorOf('item-3', 'context_length', '8000 tokens'),
    errorOf('item-4', 'context_length', '7000 tokens'),
  ];
  await db.store.report('ann', [{ ...completion(first), outcomes }]);
  for (let n = 0; n < 3; n += 1) {
    const [task] = await leaseTasks(db.store, `worker-${n}`, 1);
    if (task === undefined) throw new Error('There was nothing to lease.');
    await db.store.report(`worker-${n}`, [failure(task)]);
  }
  return jobId;
}

it('groups recorded errors and the items of failed tasks, the largest group first', async () => {
  const jobId = await jobWithFailures();
  const { groups, others } = await db.store.groupFailures(await readJob(jobId));
  expect(groups.map(({ count, exampleId }) => [count, exampleId])).toEqual([
    [3, 'item-1'],
    [2, 'item-5'],
    [1, 'item-2'],
  ]);
  expect(groups[0]).toMatchObject({ code: 'context_length', message: '9000 tokens' });
  expect(others).toBe(0);
});

it('T13: retries the item errors of one group only, and keeps all others', async () => {
  const jobId = await jobWithFailures();
  const { groups } = await db.store.groupFailures(await readJob(jobId));
  const [tooLong] = groups;
  expect(await db.store.retryJob(jobId, { items: false, failure: tooLong?.id })).toEqual({
    tasks: 1,
    items: 3,
  });
  const tasks = await leaseTasks(db.store, 'bob', 10);
  expect(tasks.flatMap(({ items }) => items.map(({ itemId }) => itemId))).toEqual([
    'item-1',
    'item-3',
    'item-4',
  ]);
  await db.store.report('bob', [...tasks.map((task) => completion(task))]);
  expect((await readJob(jobId)).items).toMatchObject({ ok: 4, error: 1, failed: 2, open: 0 });
  expect(await audit(db.url)).toEqual([]);
});

it('T13: retries the failed tasks of one group only, and nothing for a group that does not exist', async () => {
  const jobId = await jobWithFailures();
  const { groups } = await db.store.groupFailures(await readJob(jobId));
  expect(await db.store.retryJob(jobId, { items: true, failure: '00000000' })).toEqual({
    tasks: 0,
    items: 0,
  });
  expect(await db.store.retryJob(jobId, { items: false, failure: groups[1]?.id })).toEqual({
    tasks: 1,
    items: 0,
  });
  expect((await readJob(jobId)).items).toMatchObject({ ok: 1, error: 4, failed: 0, open: 2 });
  expect(await audit(db.url)).toEqual([]);
});

it('lists events newest first, by job, worker, kind and owner, in pages', async () => {
  const jobId = await jobWithFailures();
  const other = await submitJob(db.store, { items: 1 });
  await db.store.cancelJob(other);
  const all = { owner: null, job: null, worker: null, kind: null, before: null, limit: 10 };
  const kinds = async (page: Partial<Parameters<typeof db.store.listEvents>[0]>) =>
    (await db.store.listEvents({ ...all, ...page })).map(({ kind }) => kind);
  expect(await kinds({})).toEqual(['job_cancelled', 'task_failed', 'task_error', 'task_error']);
  expect(await kinds({ job: jobId })).toEqual(['task_failed', 'task_error', 'task_error']);
  expect(await kinds({ worker: 'worker-1' })).toEqual(['task_error']);
  expect(await kinds({ kind: 'task_failed' })).toEqual(['task_failed']);
  expect(await kinds({ owner: 'nobody' })).toEqual([]);
  const [newest, next] = await db.store.listEvents({ ...all, limit: 2 });
  expect(await kinds({ before: next?.id ?? '' })).toEqual(['task_error', 'task_error']);
  expect(newest).toMatchObject({ jobId: other, detail: null });
  expect(JSON.parse(next?.detail ?? '')).toHaveProperty('code');
});
