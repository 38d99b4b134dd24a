import { sql } from 'drizzle-orm';
import { jobs } from '../database/schema.ts';

/** True of a job that has neither ended nor been cancelled. In the words of the partial index `jobs_open`. */
export const jobIsOpen = sql`${jobs.finishedAt} is null and ${jobs.cancelledAt} is null`;
