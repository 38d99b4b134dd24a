import { JOB_STATES, type JobState } from '@macbatch/core';
import { expect, it } from 'vitest';
import { completion, failure, leaseTasks, numberedItems, sharedStore, submitJob } from '../testing/index.ts';
import type { JobQuery } from './list-jobs.ts';

const db = sharedStore();

/** Submits a job with a name and returns its id. */
async function named(name: string | null, job: { readonly owner?: string; readonly model?: string } = {}) {
  const reply = await db.store.submit(
    {
      owner: job.owner ?? '',
      name,
      submittedBy: 'key of ann',
      jobType: 'noop',
      model: job.model ?? 'noop',
      params: '{}',
      shardSize: 1,
      retryOn: 'errors',
      idempotencyKey: null,
    },
    numberedItems(1),
    () => '',
  );
  if (reply.outcome !== 'created') throw new Error(`The job was not created: ${reply.outcome}.`);
  return reply.jobId;
}

/** Leases the oldest pending task until its job has ended as `end` says. */
async function end(how: 'done' | 'failed'): Promise<void> {
  for (let n = 0; n < (how === 'done' ? 1 : 3); n += 1) {
    const worker = `${how}-${n}`;
    const [task] = await leaseTasks(db.store, worker);
    if (task === undefined) throw new Error('There was nothing to lease.');
    await db.store.report(worker, [how === 'done' ? completion(task) : failure(task)]);
  }
}

/** A job in each state, by state. */
async function jobInEachState(): Promise<Record<JobState, string>> {
  const done = await named('done');
  await end('done');
  const failed = await named('failed');
  await end('failed');
  const cancelled = await named('cancelled');
  await db.store.cancelJob(cancelled);
  const running = await named('running');
  await leaseTasks(db.store, 'ann');
  const queued = await named('queued');
  return { done, failed, cancelled, running, queued };
}

const namesOf = async (query: Partial<JobQuery>) => {
  const { jobs } = await db.store.listJobs({ owner: null, limit: 100, ...query });
  return jobs.map(({ name }) => name);
};

/** Reads all pages of a list. */
async function namesInPages(query: Partial<JobQuery>, limit: number) {
  const names: (string | null)[] = [];
  let cursor: JobQuery['cursor'];
  do {
    const page = await db.store.listJobs({ owner: null, ...query, limit, cursor });
    names.push(...page.jobs.map(({ name }) => name));
    cursor = page.next ?? undefined;
  } while (cursor !== undefined);
  return names;
}

it('lists the jobs of each state as core derives it, and of several states', async () => {
  await jobInEachState();
  for (const state of JOB_STATES) {
    const { jobs } = await db.store.listJobs({ owner: null, states: [state], limit: 10 });
    expect(jobs.map((job) => [job.name, job.state])).toEqual([[state, state]]);
  }
  expect(await namesOf({ states: ['done', 'queued'] })).toEqual(['queued', 'done']);
  expect(await namesOf({ states: ['running', 'queued'] })).toEqual(['queued', 'running']);
  expect(await namesOf({ states: [] })).toEqual([]);
});

it('lists newest first, or open jobs first, in pages of any size', async () => {
  await jobInEachState();
  const newestFirst = ['queued', 'running', 'cancelled', 'failed', 'done'];
  for (const limit of [1, 2, 3, 5, 6]) {
    expect(await namesInPages({}, limit)).toEqual(newestFirst);
    expect(await namesInPages({ openFirst: true, states: ['queued', 'done', 'failed'] }, limit)).toEqual([
      'queued',
      'failed',
      'done',
    ]);
  }
  const late = await named('late');
  await db.store.cancelJob(late);
  for (const limit of [1, 2, 3, 7])
    expect(await namesInPages({ openFirst: true }, limit)).toEqual([
      'queued',
      'running',
      'late',
      'cancelled',
      'failed',
      'done',
    ]);
});

it('loses no job that ends between two pages of a list with open jobs first', async () => {
  await named('old');
  await named('new');
  const first = await db.store.listJobs({ owner: null, openFirst: true, limit: 1 });
  await end('done'); // the old one
  const cursor = first.next ?? undefined;
  const second = await db.store.listJobs({ owner: null, openFirst: true, limit: 5, cursor });
  expect(second.jobs.map(({ name }) => name)).toEqual(['old']);
});

it.each([
  ['%', ['100 % wool']],
  ['_', ['a_b']],
  ['\\', ['c:\\d']],
  ['WOOL', ['100 % wool']],
  ['ÜBER', ['über uns']],
  ['x'.repeat(200), []],
])('finds the text %j in names literally, upper and lower case alike', async (text, expected) => {
  for (const name of ['100 % wool', 'a_b', 'c:\\d', 'über uns', 'other', null]) await named(name);
  expect(await namesOf({ text })).toEqual(expected);
});

it('finds jobs by a part of their id, by owner, type and model', async () => {
  const id = await named('mine', { owner: 'us', model: 'qwen3' });
  await named('theirs', { owner: 'them' });
  await submitJob(db.store, { items: 1, jobType: 'request:/v1/embeddings', model: 'e5' });
  expect(await namesOf({ text: id.slice(-6).toUpperCase() })).toEqual(['mine']);
  expect(await namesOf({ owner: 'us' })).toEqual(['mine']);
  expect(await namesOf({ model: 'qwen3' })).toEqual(['mine']);
  expect(await namesOf({ jobType: 'noop' })).toEqual(['theirs', 'mine']);
  expect(await namesOf({ jobType: 'request' })).toEqual([null]);
  expect(await namesOf({ jobType: 'chat' })).toEqual([]);
  const { jobs } = await db.store.listJobs({ owner: 'us', limit: 1 });
  expect(jobs).toMatchObject([{ name: 'mine', submittedBy: 'key of ann' }]);
});

it('knows the progress of open jobs only: their workers, rate and what they wait for', async () => {
  const jobs = await jobInEachState();
  const { jobs: listed } = await db.store.listJobs({ owner: null, limit: 10 });
  await db.store.heartbeat({
    worker: 'ann',
    boot: 'boot-of-ann',
    hostname: 'h',
    jobTypes: ['noop'],
    models: ['noop'],
    concurrency: 1,
    leaseLimit: 1,
    rates: [{ jobType: 'noop', model: 'noop', itemsPerSecond: 2 }],
    offline: false,
    formerBoots: [],
  });
  const progress = await db.store.jobProgress(listed);
  expect(new Set(progress.keys())).toEqual(new Set([jobs.running, jobs.queued]));
  expect(progress.get(jobs.running)).toMatchObject({ workers: 1, waitsFor: 'all_leased' });
  expect(progress.get(jobs.queued)).toMatchObject({ workers: 0, itemsPerSecond: 0 });
  const { low, likely, high } = progress.get(jobs.queued)?.estimate ?? { low: 0, likely: 0, high: 0 };
  expect([low > 0, low <= likely, likely <= high]).toEqual([true, true, true]);
});
