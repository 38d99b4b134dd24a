import type { ConnectionPools } from '@macbatch/connection';
import { type ItemFailure, readItemFailure } from '@macbatch/core';
import { sql } from 'drizzle-orm';
import { items, results, tasks } from '../database/schema.ts';
import { statement } from '../database/statement.ts';

/** Failures in one page. */
const PAGE_FAILURES = 10_000;

interface RecordedRow {
  readonly seq: number;
  readonly item_id: string;
  /** JSON text. */
  readonly error: string;
}

interface FailedTaskRow {
  readonly id: string;
  /** JSON text. */
  readonly error: string;
  /** Its items without an outcome. */
  readonly items: number;
  readonly item_id: string;
}

const recordedErrors = statement<{ job: string; after: number; limit: number }, RecordedRow>(
  (arg) => sql`
  select failed.seq, item.item_id, failed.error
  from (
    select ${results.seq}, ${results.error} from ${results}
    where ${results.jobId} = ${arg.job('uuid')} and ${results.error} is not null and ${results.seq} > ${arg.after('int')}
    order by ${results.seq}
    limit ${arg.limit('int')}
  ) as failed
  cross join lateral (
    select ${items.itemId} from ${items} where ${items.jobId} = ${arg.job('uuid')} and ${items.seq} >= failed.seq
    order by ${items.seq} limit 1 -- "= failed.seq" may read all items of the job by another index
  ) as item
  order by failed.seq`,
);

const failedTasks = statement<{ job: string; after: string; limit: number }, FailedTaskRow>(
  (arg) => sql`
  select failed.id::text, failed.error, failed.items, item.item_id
  from (
    select ${tasks.id}, ${tasks.error}, ${tasks.firstSeq}, ${tasks.itemCount} - ${tasks.outcomeCount} as items from ${tasks}
    where ${tasks.jobId} = ${arg.job('uuid')} and ${tasks.status} = 'failed' and ${tasks.id} > ${arg.after('text')}::bigint
    order by ${tasks.id}
    limit ${arg.limit('int')}
  ) as failed
  cross join lateral (
    select ${items.itemId} from ${items}
    where ${items.jobId} = ${arg.job('uuid')} and ${items.seq} >= failed.first_seq and not exists (
      select from ${results} where ${results.jobId} = ${arg.job('uuid')} and ${results.seq} = ${items.seq} offset 0)
    order by ${items.seq}
    limit 1
  ) as item
  order by failed.id`,
);

/** A recorded error of an item, or a failed task with its items that have no outcome. */
interface JobFailure {
  /** The item's position, or the task's id. */
  readonly of: { readonly seq: number } | { readonly taskId: string };
  readonly failure: ItemFailure;
  /** The id of the item, or of the task's first one without an outcome. */
  readonly itemId: string;
  readonly items: number;
}

type FailurePages = AsyncGenerator<readonly JobFailure[], void, undefined>;

/** Reads the recorded errors of a job in pages, in the order of submission: those of items behind `after`. */
export async function* errorPages({ durable }: ConnectionPools, job: string, start = -1): FailurePages {
  for (let after = start; ; ) {
    const rows = await recordedErrors.run(durable, { job, after, limit: PAGE_FAILURES });
    yield rows.map(({ seq, item_id, error }) => ({
      of: { seq },
      failure: readItemFailure(error),
      itemId: item_id,
      items: 1,
    }));
    after = rows.at(-1)?.seq ?? after;
    if (rows.length < PAGE_FAILURES) break;
  }
}

/** Reads the failed tasks of a job in pages. */
export async function* failedTaskPages({ durable }: ConnectionPools, job: string): FailurePages {
  for (let after = '0'; ; ) {
    const rows = await failedTasks.run(durable, { job, after, limit: PAGE_FAILURES });
    yield rows.map(({ id, item_id, error, items }) => ({
      of: { taskId: id },
      failure: readItemFailure(error),
      itemId: item_id,
      items,
    }));
    after = rows.at(-1)?.id ?? after;
    if (rows.length < PAGE_FAILURES) break;
  }
}

/** Reads the failures of a job in pages: first the recorded errors, then the failed tasks. */
export async function* jobFailures(connections: ConnectionPools, job: string): FailurePages {
  yield* errorPages(connections, job);
  yield* failedTaskPages(connections, job);
}
