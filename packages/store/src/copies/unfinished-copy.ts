import { type SQL, sql } from 'drizzle-orm';
import { results } from '../database/schema.ts';

/** True of a copy with an item that has no outcome yet. `copy` names a row of `copies`. */
export const isUnfinishedCopy = (copy: SQL, jobId: SQL): SQL => sql`
  (select count(*) from ${results} where ${results.jobId} = ${jobId}
    and ${results.seq} >= ${copy}.first_seq and ${results.seq} < ${copy}.end_seq) < ${copy}.end_seq - ${copy}.first_seq`;
