import type { ConnectionPools } from '@macbatch/connection';
import { type SQL, sql } from 'drizzle-orm';
import { workers } from '../database/schema.ts';
import { statement } from '../database/statement.ts';

/**
 * A common table expression `own_worker`: the row of the worker, locked. A goodbye changes that row, so it waits for
 * this statement, and the release that follows the goodbye finds everything that was granted here.
 */
export const lockOwnWorker = (worker: SQL): SQL => sql`
  own_worker as materialized (
    select ${workers.bootId}, ${workers.offline} from ${workers} where ${workers.id} = ${worker} for share
  )`;

/** SQL condition: this boot has not said goodbye. Needs `lockOwnWorker`. */
export const hasNotSaidGoodbye = (boot: SQL): SQL => sql`
  not exists (select from own_worker where own_worker.boot_id = ${boot} and own_worker.offline)`;

const readSaidGoodbye = statement<{ worker: string; boot: string }, { readonly said_goodbye: boolean }>(
  (arg) => sql`
  select exists (
    select from ${workers}
    where ${workers.id} = ${arg.worker('text')} and ${workers.bootId} = ${arg.boot('text')} and ${workers.offline}
  ) as said_goodbye`,
);

/** Reads whether this boot of a worker has said goodbye and sent no heartbeat since. */
export async function saidGoodbye(
  { durable }: ConnectionPools,
  worker: string,
  boot: string,
): Promise<boolean> {
  const row = await readSaidGoodbye.one(durable, { worker, boot });
  return row.said_goodbye;
}
