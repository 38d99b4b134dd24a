import type { ConnectionPools } from '@macbatch/connection';
import { type SQL, sql } from 'drizzle-orm';
import { workers } from '../database/schema.ts';
import { statement } from '../database/statement.ts';
import { isPausedByPerson, type PauseRow, pauseColumns, personPause, type WorkerPause } from './pause.ts';

/**
 * A common table expression `own_worker`: the row of the worker, locked. A goodbye, a pause or the first heartbeat of
 * the next boot changes that row, so it waits for this statement, and what ends leases after it finds everything that
 * was granted or renewed here.
 */
export const lockOwnWorker = (worker: SQL): SQL => sql`
  own_worker as materialized (
    select ${workers.bootId}, ${workers.offline}, ${isPausedByPerson()} as paused from ${workers} where ${workers.id} = ${worker} for share
  )`;

/**
 * SQL condition: this boot has not said goodbye, and no person has paused its worker. Needs `lockOwnWorker`. A worker
 * that has paused itself and asks for work has just gone on.
 */
export const mayLease = (boot: SQL): SQL => sql`
  not exists (select from own_worker where own_worker.paused or (own_worker.boot_id = ${boot} and own_worker.offline))`;

/** SQL condition: no other boot has taken the place of this one. Needs `lockOwnWorker`. */
export const isPresentBoot = (boot: SQL): SQL => sql`
  not exists (select from own_worker where own_worker.boot_id <> ${boot})`;

const readStanding = statement<
  { worker: string; boot: string },
  PauseRow & { readonly said_goodbye: boolean }
>(
  (arg) => sql`
  select ${workers.bootId} = ${arg.boot('text')} and ${workers.offline} as said_goodbye, ${pauseColumns()}
  from ${workers} where ${workers.id} = ${arg.worker('text')}`,
);

/** Why a worker may lease nothing. */
export interface Standing {
  /** This boot has said goodbye and sent no heartbeat since. */
  readonly saidGoodbye: boolean;
  /** Through the control plane. */
  readonly pause: WorkerPause | null;
}

/** Reads why a worker may lease nothing. */
export async function standingOf(
  { durable }: ConnectionPools,
  worker: string,
  boot: string,
): Promise<Standing> {
  const [row] = await readStanding.run(durable, { worker, boot });
  return { saidGoodbye: row?.said_goodbye ?? false, pause: row === undefined ? null : personPause(row) };
}
