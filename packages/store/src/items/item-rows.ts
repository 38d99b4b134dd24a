import { type SQL, sql } from 'drizzle-orm';
import type { Placeholders } from '../database/arguments.ts';
import { items, leases, results, tasks } from '../database/schema.ts';
import { type Statement, statement } from '../database/statement.ts';

type ItemPageArguments = {
  job: string;
  /** Only items behind this position. */
  after: number;
  /** Null: any. */
  state: string | null;
  limit: number;
};

export interface ItemRow {
  readonly seq: number;
  readonly item_id: string;
  readonly state: string;
  /** JSON text. */
  readonly error: string | null;
  readonly worker_id: string | null;
  readonly attempt: number | null;
  readonly leased_at: Date | null;
  readonly recorded_at: Date | null;
  readonly input_bytes: number;
  readonly output_bytes: number | null;
  readonly reused: boolean;
}

/** The columns of an item that a page needs. */
const itemColumns = sql`${items.jobId}, ${items.seq}, ${items.itemId}, octet_length(${items.payload}) as input_bytes,
      coalesce(${items.leaderSeq}, ${items.seq}) as run_seq`;

/**
 * Reads a page of items with their states, in the order of submission. `chosen` is a query of items behind `after`.
 * Each item that is read costs a look-up of its outcome, so a page that few items fit is found in another way first.
 */
const itemRows = (
  { state, limit }: Pick<Placeholders<ItemPageArguments>, 'state' | 'limit'>,
  chosen: SQL,
): SQL => sql`
  select item.seq, item.item_id, known.state, known.error, ran_by.worker_id, known.attempt, ran_by.leased_at, outcome.recorded_at,
    item.input_bytes, octet_length(outcome.output) as output_bytes, coalesce(outcome.reused, false) as reused
  from (${chosen}) as item
  left join lateral (
    select * from ${results} where ${results.jobId} = item.job_id and ${results.seq} = item.seq offset 0
  ) as outcome on true
  -- The one failed task that can contain the item, found by its first item: a job can have very many.
  left join lateral (
    select id, attempts, error, first_seq + item_count as next_seq from ${tasks}
    where outcome.seq is null and ${tasks.jobId} = item.job_id and ${tasks.status} = 'failed' and ${tasks.firstSeq} <= item.run_seq
    order by ${tasks.firstSeq} desc
    limit 1
  ) as failed on item.run_seq < failed.next_seq
  cross join lateral (
    select coalesce(outcome.error, failed.error) as error, coalesce(outcome.task_id, failed.id) as task_id,
      coalesce(outcome.attempt, failed.attempts) as attempt,
      case when outcome.output is not null then 'ok' when outcome.error is not null then 'error'
        when failed.id is not null then 'failed' else 'open' end as state
  ) as known
  left join lateral (
    select ${leases.workerId}, ${leases.leasedAt} from ${leases}
    where ${leases.taskId} = known.task_id and ${leases.attempt} = known.attempt offset 0
  ) as ran_by on true
  where ${state('text')} is null or known.state = ${state('text')}
  order by item.seq
  limit ${limit('int')}`;

type PrefixArguments = ItemPageArguments & { prefix: string | null };

/** Reads the items whose ids begin with this text, or all. */
export const itemsByPrefix: Statement<PrefixArguments, ItemRow> = statement<PrefixArguments, ItemRow>((arg) =>
  itemRows(
    arg,
    sql`
    select ${itemColumns} from ${items}
    where ${items.jobId} = ${arg.job('uuid')} and ${items.seq} > ${arg.after('int')}
      and (${arg.prefix('text')} is null or starts_with(${items.itemId}, ${arg.prefix('text')}))
    order by ${items.seq}
    offset 0`,
  ),
);

type SeqsArguments = ItemPageArguments & { seqs: readonly number[] };

/** Reads the items at these positions. */
export const itemsBySeqs: Statement<SeqsArguments, ItemRow> = statement<SeqsArguments, ItemRow>((arg) =>
  itemRows(
    arg,
    sql`
    select found.* from unnest(${arg.seqs('int[]')}) as wanted (seq)
    cross join lateral (
      select ${itemColumns} from ${items} where ${items.jobId} = ${arg.job('uuid')} and ${items.seq} >= wanted.seq
      order by ${items.seq} limit 1 -- "= wanted.seq" may read all items of the job by another index
    ) as found
    where found.seq > ${arg.after('int')} and found.seq = wanted.seq
    order by found.seq
    offset 0`,
  ),
);
