import { sql } from 'drizzle-orm';
import { jobs } from '../database/schema.ts';

/** SQL condition: the job has neither ended nor been cancelled. Equals the condition of the partial index `jobs_open`. */
export const jobIsOpen = sql`${jobs.finishedAt} is null and ${jobs.cancelledAt} is null`;
