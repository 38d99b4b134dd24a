import { type SQL, sql } from 'drizzle-orm';
import type { Placeholders } from '../database/arguments.ts';
import { jobs } from '../database/schema.ts';
import { type Statement, statement } from '../database/statement.ts';
import { type JobRow, jobRows, talliesOf } from './job-rows.ts';
import { jobIsOpen } from './open-job.ts';

/** Which jobs are listed. Null: no matter. */
type JobFilter = {
  owner: string | null;
  states: readonly string[] | null;
  /** Job types and, for raw requests, endpoints: all work types that are listed. */
  workTypes: readonly string[] | null;
  model: string | null;
  /** Part of the name or the id, upper and lower case alike. */
  text: string | null;
};

type PageArguments = JobFilter & {
  /** Only jobs that are older than this one. */
  before: string | null;
  limit: number;
};

/** The state of a job from the sums of its tallies. The same rule as core's `jobState`. */
const stateOf = sql`
    select case
      when ${jobs.cancelledAt} is not null then 'cancelled'
      when tally.pending + tally.leased > 0 then case when tally.leases_granted = 0 then 'queued' else 'running' end
      when tally.failed > 0 then 'failed'
      else 'done' end
    from (${talliesOf(sql`${jobs.id}`)}) as tally`;

/**
 * The jobs of a page, newest first. Its limit applies before the counts of the page are read. The tallies that decide
 * the state are read only of jobs that all other conditions accept.
 */
const page = (arg: Placeholders<PageArguments>, condition: SQL): SQL => sql`
  select * from ${jobs}
  where ${jobs.prunedAt} is null and ${condition}
    and (${arg.owner('text')} is null or ${jobs.owner} = ${arg.owner('text')})
    and (${arg.before('uuid')} is null or ${jobs.id} < ${arg.before('uuid')})
    and (${arg.workTypes('text[]')} is null or ${jobs.jobType} = any(${arg.workTypes('text[]')}))
    and (${arg.model('text')} is null or ${jobs.model} = ${arg.model('text')})
    -- No pattern, so that no character of the text has a meaning.
    and (${arg.text('text')} is null or strpos(lower(${jobs.name}), lower(${arg.text('text')})) > 0
      or strpos(${jobs.id}::text, lower(${arg.text('text')})) > 0)
    and (${arg.states('text[]')} is null or (${stateOf}) = any(${arg.states('text[]')}))
  order by ${jobs.id} desc
  limit ${arg.limit('int')}`;

const listing = (condition: SQL): Statement<PageArguments, JobRow> =>
  statement<PageArguments, JobRow>((arg) => jobRows(page(arg, condition)));

/** Read pages of jobs with their counts, newest first. Three statements, so that open jobs are found by their index. */
export const listJobRows = {
  all: listing(sql`true`),
  open: listing(jobIsOpen),
  ended: listing(sql`not (${jobIsOpen})`),
} as const;
