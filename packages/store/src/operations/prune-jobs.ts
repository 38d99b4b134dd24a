import type { ConnectionPools } from '@macbatch/connection';
import { retryOnConflict } from '../database/retry-on-conflict.ts';
import { countPrunable, markNextJob, nextMarkedJob } from './prunable-jobs.ts';
import { pruneEvents, pruneItems, pruneJob, pruneTasks } from './prune-steps.ts';

/** Most jobs that one call deletes. The row limit alone does not bound the time, as each job has a fixed cost. */
const MAX_JOBS_PER_CALL = 200;
/** Most rows that one statement deletes. Limits how long it holds row locks. */
const MAX_ROWS_PER_STEP = 5000;

/** Rows that one element of a step can delete: an item has rows in `items`, `results` and `ledger`. */
const STEPS = [
  { step: pruneTasks, rowsEach: 1 },
  { step: pruneItems, rowsEach: 3 },
  { step: pruneEvents, rowsEach: 1 },
];

export interface PruneCall {
  /** Deletes jobs that ended longer ago than this, by the database's clock. */
  readonly olderThanSeconds: number;
  /** Rows to delete at most, plus at most one task with its leases or one job with its tallies. */
  readonly rowLimit: number;
}

/** What a prune has still to delete. */
export interface Prunable {
  readonly jobs: number;
  readonly items: number;
  readonly tasks: number;
  readonly payloadBytes: number;
}

export interface Pruned {
  readonly jobs: number;
  readonly rows: number;
  /** Not zero if the limit was reached or another prune has locked a job. */
  readonly left: Prunable;
}

/** Counts what a prune would delete. */
export async function prunableJobs({ long }: ConnectionPools, olderThanSeconds: number): Promise<Prunable> {
  const row = await countPrunable.one(long, { seconds: olderThanSeconds });
  return { jobs: row.jobs, items: row.items, tasks: row.tasks, payloadBytes: row.payload_bytes };
}

/**
 * Deletes jobs that ended long ago. Marks each job first, which hides it from everybody, and then deletes it in
 * steps. If a call stops early, the next one continues there.
 */
export async function pruneJobs(
  connections: ConnectionPools,
  { olderThanSeconds, rowLimit }: PruneCall,
): Promise<Pruned> {
  let jobs = 0;
  let rows = 0;
  while (rows < rowLimit && jobs < MAX_JOBS_PER_CALL) {
    const job = await nextJob(connections, olderThanSeconds);
    if (job === null) break;
    const { deleted, finished } = await deleteJob(connections, job, rowLimit - rows);
    rows += deleted;
    if (finished) jobs += 1;
  }
  return { jobs, rows, left: await prunableJobs(connections, olderThanSeconds) };
}

async function nextJob({ long }: ConnectionPools, seconds: number): Promise<string | null> {
  const [begun] = await nextMarkedJob.run(long);
  if (begun !== undefined) return begun.id;
  const [marked] = await markNextJob.run(long, { seconds });
  return marked?.id ?? null;
}

async function deleteJob(
  { long }: ConnectionPools,
  job: string,
  rowLimit: number,
): Promise<{ readonly deleted: number; readonly finished: boolean }> {
  let deleted = 0;
  for (const { step, rowsEach } of STEPS) {
    for (;;) {
      const room = Math.min(MAX_ROWS_PER_STEP, rowLimit - deleted);
      if (room <= 0) return { deleted, finished: false };
      const limit = Math.max(1, Math.floor(room / rowsEach));
      const { rows, more } = await retryOnConflict(() => step.one(long, { job, limit }));
      deleted += rows;
      if (!more) break;
    }
  }
  const last = await retryOnConflict(() => pruneJob.one(long, { job }));
  return { deleted: deleted + last.rows, finished: last.rows > 0 };
}
