import { type SQL, sql } from 'drizzle-orm';
import { jobs, minuteCounts } from '../database/schema.ts';

/** More tokens than this are not counted for one item: the sum of a minute must fit into its column. */
const MAX_TOKENS = 1e9;

/**
 * The number of tokens in the JSON text of a usage, which the control plane writes without spaces and with numbers as
 * values. Splits the text, because a regular expression costs several times as much.
 */
export const tokensIn = (usage: SQL, member: 'input_tokens' | 'output_tokens'): SQL => {
  const name = sql.raw(`'"${member}":'`);
  const number = sql`nullif(split_part(split_part(split_part(${usage}, ${name}, 2), ',', 1), '}', 1), '')::float8`;
  return sql`case when ${usage} is null then 0 else coalesce(least(greatest(floor(${number}), 0), ${sql.raw(String(MAX_TOKENS))}), 0)::bigint end`;
};

/**
 * Builds the common table expression `minute_counted`, which adds to the counts of this minute. `counts` is a query of
 * one row for each job and worker: job_id, worker_id, items_ok, items_error, input_tokens, output_tokens, leases_expired.
 */
export const countMinute = (counts: SQL): SQL => sql`minute_counted as (
    insert into ${minuteCounts} as kept (minute, job_id, worker_id, owner, model, items_ok, items_error, input_tokens, output_tokens, leases_expired)
    select date_trunc('minute', now(), 'UTC'), counted.job_id, counted.worker_id, ${jobs.owner}, ${jobs.model},
      counted.items_ok, counted.items_error, counted.input_tokens, counted.output_tokens, counted.leases_expired
    from (${counts}) as counted join ${jobs} on ${jobs.id} = counted.job_id
    order by counted.job_id, counted.worker_id
    on conflict (minute, job_id, worker_id) do update set
      items_ok = kept.items_ok + excluded.items_ok,
      items_error = kept.items_error + excluded.items_error,
      input_tokens = kept.input_tokens + excluded.input_tokens,
      output_tokens = kept.output_tokens + excluded.output_tokens,
      leases_expired = kept.leases_expired + excluded.leases_expired
  )`;
