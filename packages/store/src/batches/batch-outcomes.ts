import type { ConnectionPools } from '@macbatch/connection';
import { sql } from 'drizzle-orm';
import { batchJobs, items } from '../database/schema.ts';
import { statement } from '../database/statement.ts';
import type { Job } from '../jobs/job.ts';
import { readJob } from '../jobs/read-job.ts';
import { resultPages } from '../jobs/results.ts';

/** An item of a batch with its outcome, if it has one. */
export interface BatchItem {
  /** Position of the job in the batch and of the item in the job, from 0. */
  readonly jobPosition: number;
  readonly seq: number;
  readonly customId: string;
  /** JSON text. */
  readonly output: string | null;
  /** JSON text. */
  readonly error: string | null;
  /** JSON text. */
  readonly usage: string | null;
  /** The id that the model server gave to a request that succeeded. */
  readonly requestId: string | null;
}

const readBatchJobs = statement<{ batch: string }, { readonly job_id: string }>(
  (arg) => sql`
  select ${batchJobs.jobId}::text from ${batchJobs} where ${batchJobs.batchId} = ${arg.batch('text')} order by ${batchJobs.position}`,
);

const readItemIds = statement<
  { job: string; from: number; to: number },
  { readonly seq: number; readonly item_id: string }
>(
  (arg) => sql`
  select ${items.seq}, ${items.itemId} from ${items}
  where ${items.jobId} = ${arg.job('uuid')} and ${items.seq} >= ${arg.from('int')} and ${items.seq} < ${arg.to('int')}
  order by ${items.seq}`,
);

/** Most ids that one statement reads. */
const IDS_A_PAGE = 10_000;

/** Reads the jobs of a batch, in order. Throws if one was deleted. */
export async function jobsOfBatch(connections: ConnectionPools, batch: string): Promise<Job[]> {
  const rows = await readBatchJobs.run(connections.durable, { batch });
  const jobs: Job[] = [];
  for (const { job_id: id } of rows) {
    const job = await readJob(connections, id);
    if (job === null) throw new Error(`The job ${id} of ${batch} was deleted before the batch ended.`);
    jobs.push(job);
  }
  return jobs;
}

/** Yields every item of the jobs once, in order, in pages. */
export async function* batchItems(
  connections: ConnectionPools,
  jobs: readonly Job[],
): AsyncGenerator<readonly BatchItem[], void, undefined> {
  for (const [jobPosition, { id: job, items: counts }] of jobs.entries()) {
    let next = 0;
    for await (const page of resultPages(connections, job, { itemCount: counts.total })) {
      const last = page.at(-1);
      if (last === undefined) continue;
      // Items without an outcome are missing between the others.
      if (last.seq - next + 1 > page.length) {
        const found = new Set(page.map(({ seq }) => seq));
        for await (const missing of itemsWithoutOutcome(connections, job, next, last.seq))
          yield missing.filter(({ seq }) => !found.has(seq)).map((item) => ({ ...item, jobPosition }));
      }
      next = last.seq + 1;
      yield page.map(({ seq, itemId, output, error, usage, requestId }) => ({
        jobPosition,
        seq,
        customId: itemId,
        output,
        error,
        usage,
        requestId,
      }));
    }
    for await (const missing of itemsWithoutOutcome(connections, job, next, counts.total))
      yield missing.map((item) => ({ ...item, jobPosition }));
  }
}

/** Yields the items from one position up to another one as if none had an outcome. */
async function* itemsWithoutOutcome(
  { durable }: ConnectionPools,
  job: string,
  from: number,
  to: number,
): AsyncGenerator<readonly Omit<BatchItem, 'jobPosition'>[], void, undefined> {
  for (let next = from; next < to; next += IDS_A_PAGE) {
    const rows = await readItemIds.run(durable, { job, from: next, to: Math.min(to, next + IDS_A_PAGE) });
    yield rows.map((row) => ({
      seq: row.seq,
      customId: row.item_id,
      output: null,
      error: null,
      usage: null,
      requestId: null,
    }));
  }
}
