import type postgres from 'postgres';
import { SubmissionRefused } from './job-draft.ts';

const UNIQUE_VIOLATION = '23505';

/** Checks that item ids are unique. Throws `SubmissionRefused` with both positions of a repeated id. */
export async function checkItemIds(tx: postgres.Sql, jobId: string): Promise<void> {
  try {
    // The constraint is deferred to the commit. Checked now, the rows are still there to name the positions.
    await Promise.all([tx`savepoint unchecked`, tx`set constraints items_job_id_item_id immediate`]);
  } catch (error) {
    if (!(error instanceof Error) || Reflect.get(error, 'code') !== UNIQUE_VIOLATION) throw error;
    await tx`rollback to savepoint unchecked`;
    const [repeated] = await tx<{ item_id: string; first: number; second: number }[]>`
      select item_id, places[1] as first, places[2] as second from (
        select item_id, (array_agg(seq order by seq))[1:2] as places, count(*) as uses
        from items where job_id = ${jobId} group by item_id
      ) as id where uses > 1 order by places[2] limit 1`;
    if (repeated === undefined) throw error;
    throw new SubmissionRefused({
      outcome: 'duplicate_item_id',
      itemId: repeated.item_id,
      first: repeated.first,
      second: repeated.second,
    });
  }
}
