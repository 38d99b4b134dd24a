import type { ConnectionPools } from '@macbatch/connection';
import type { ItemState } from '@macbatch/core';
import { sql } from 'drizzle-orm';
import { items, jobs, leases, results, tasks } from '../database/schema.ts';
import { statement } from '../database/statement.ts';
import { findItemSeq, type Result, readPage } from '../jobs/results.ts';

/** Most leases that are listed for an item, the newest first. */
const MAX_LEASES = 100;

/** Names an item of a job. */
export type ItemName = { readonly itemId: string } | { readonly seq: number };

interface ItemTextRow {
  readonly seq: number;
  readonly item_id: string;
  readonly payload: string;
  readonly params: string;
  readonly run_seq: number;
}

const readText = statement<{ job: string; seq: number }, ItemTextRow>(
  (arg) => sql`
  select ${items.seq}, ${items.itemId}, ${items.payload}, ${jobs.params}, coalesce(${items.leaderSeq}, ${items.seq}) as run_seq
  from ${items} join ${jobs} on ${jobs.id} = ${items.jobId}
  where ${items.jobId} = ${arg.job('uuid')} and ${items.seq} = ${arg.seq('int')}`,
);

interface LeaseRow {
  readonly attempt: number;
  readonly worker_id: string;
  readonly leased_at: Date;
  readonly current: boolean;
}

/** Reads the leases of the task of an item. An item that took its outcome from an earlier job has those of that job. */
const readLeases = statement<{ job: string; seq: number; limit: number }, LeaseRow>((arg) => {
  const seq = arg.seq('int');
  const unfinished = (status: ReturnType<typeof sql>) => sql`(
      select ${tasks.id} from ${tasks}
      where ${tasks.jobId} = ${arg.job('uuid')} and ${status}
        and ${tasks.firstSeq} <= ${seq} and ${tasks.firstSeq} + ${tasks.itemCount} > ${seq}
      limit 1)`;
  return sql`
  with task as materialized (
    select coalesce(
      (select ${results.taskId} from ${results} where ${results.jobId} = ${arg.job('uuid')} and ${results.seq} = ${seq}),
      ${unfinished(sql`${tasks.status} = 'leased'`)},
      ${unfinished(sql`${tasks.status} = 'failed'`)},
      ${unfinished(sql`${tasks.status} = 'pending' and not ${tasks.cancelled}`)}
    ) as id
  )
  select ${leases.attempt}, ${leases.workerId}, ${leases.leasedAt}, exists (
    select from ${tasks} where ${tasks.id} = ${leases.taskId} and ${tasks.status} = 'leased' and ${tasks.attempts} = ${leases.attempt} offset 0
  ) as current
  from ${leases} where ${leases.taskId} = (select id from task)
  order by ${leases.attempt} desc
  limit ${arg.limit('int')}`;
});

/** A lease of the task that contains the item. */
interface ItemLease {
  readonly attempt: number;
  readonly worker: string;
  readonly leasedAt: Date;
  /** The worker holds the task now. */
  readonly current: boolean;
}

/** An item with its texts and its outcome. */
export interface JobItem {
  readonly seq: number;
  readonly itemId: string;
  readonly state: ItemState;
  /** JSON text, as it was submitted. */
  readonly input: string;
  /** The parameters of the job: JSON text, as it was submitted. */
  readonly params: string;
  /** The outcome, or the error of the failed task; null for an open item. */
  readonly result: Result | null;
  /** Newest first. */
  readonly leases: readonly ItemLease[];
}

/** Reads one item of a job; null if the job has no such item. */
export async function readItem(
  connections: ConnectionPools,
  job: string,
  name: ItemName,
): Promise<JobItem | null> {
  const { durable } = connections;
  const seq = 'seq' in name ? name.seq : await findItemSeq(connections, job, name.itemId);
  const [text] = seq === null ? [] : await readText.run(durable, { job, seq });
  if (text === undefined) return null;
  const [[result = null], leaseRows] = await Promise.all([
    readPage(connections, { job, after: text.seq - 1, limit: 1 }),
    readLeases.run(durable, { job, seq: text.run_seq, limit: MAX_LEASES }),
  ]);
  return {
    seq: text.seq,
    itemId: text.item_id,
    state: stateOf(result),
    input: text.payload,
    params: text.params,
    result,
    leases: leaseRows.map((row) => ({
      attempt: row.attempt,
      worker: row.worker_id,
      leasedAt: row.leased_at,
      current: row.current,
    })),
  };
}

/** An error that no row holds is that of a failed task. */
function stateOf(result: Result | null): ItemState {
  if (result === null) return 'open';
  if (result.output !== null) return 'ok';
  return result.recordedAt === null ? 'failed' : 'error';
}
