import type { ConnectionPools } from '@macbatch/connection';
import { sql } from 'drizzle-orm';
import { jobs, minuteCounts } from '../database/schema.ts';
import { type NoArguments, statement } from '../database/statement.ts';

/** How long the counts of a minute are kept. */
const KEPT_DAYS = 7;
/** Most rows that one call deletes. */
const MAX_DELETED = 20_000;

/** What the counts of a series have in common. */
type ThroughputKey = 'worker' | 'model' | 'job' | 'none';

/** Which counts are read. Null: no matter. */
export interface ThroughputQuery {
  readonly owner: string | null;
  readonly job: string | null;
  readonly worker: string | null;
  readonly model: string | null;
  readonly by: ThroughputKey;
  readonly from: Date;
  readonly to: Date;
  readonly stepSeconds: number;
}

/** The counts of one series in one step. */
export interface ThroughputPoint {
  /** The number of the step, from 0. */
  readonly step: number;
  /** A worker id, a model or a job id. */
  readonly key: string;
  /** The name of the job, if the key is one that still exists. */
  readonly jobName: string | null;
  readonly ok: number;
  readonly error: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly leasesExpired: number;
}

interface PointRow {
  readonly step: number;
  readonly key: string;
  readonly job_name: string | null;
  readonly ok: number;
  readonly error: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly leases_expired: number;
}

const readPoints = statement<
  {
    owner: string | null;
    job: string | null;
    worker: string | null;
    model: string | null;
    by: string;
    from: string;
    to: string;
    stepSeconds: number;
  },
  PointRow
>(
  (arg) => sql`
  select points.*, ${jobs.name} as job_name
  from (
    select floor(extract(epoch from ${minuteCounts.minute} - ${arg.from('text')}::timestamptz) / ${arg.stepSeconds('int')})::int as step,
      case ${arg.by('text')} when 'worker' then ${minuteCounts.workerId} when 'model' then ${minuteCounts.model}
        when 'job' then ${minuteCounts.jobId}::text else '' end as key,
      sum(items_ok)::float8 as ok, sum(items_error)::float8 as error, sum(input_tokens)::float8 as input_tokens,
      sum(output_tokens)::float8 as output_tokens, sum(leases_expired)::float8 as leases_expired
    from ${minuteCounts}
    where ${minuteCounts.minute} >= ${arg.from('text')}::timestamptz and ${minuteCounts.minute} < ${arg.to('text')}::timestamptz
      and (${arg.owner('text')} is null or ${minuteCounts.owner} = ${arg.owner('text')})
      and (${arg.job('uuid')} is null or ${minuteCounts.jobId} = ${arg.job('uuid')})
      and (${arg.worker('text')} is null or ${minuteCounts.workerId} = ${arg.worker('text')})
      and (${arg.model('text')} is null or ${minuteCounts.model} = ${arg.model('text')})
    group by 1, 2
  ) as points
  left join ${jobs} on ${jobs.id} = case ${arg.by('text')} when 'job' then points.key::uuid end
  order by points.step`,
);

/** Two control planes that delete at the same time skip each other's rows. */
const deleteOld = statement<NoArguments, unknown>(
  () => sql`
  delete from ${minuteCounts} where ctid = any(array(
    select ctid from ${minuteCounts} where ${minuteCounts.minute} < now() - ${sql.raw(`interval '${KEPT_DAYS} days'`)}
    order by ${minuteCounts.minute} limit ${sql.raw(String(MAX_DELETED))} for update skip locked))`,
);

/** Reads counts of finished items, by step and series. Steps without counts have no point. */
export async function readThroughput(
  { durable }: ConnectionPools,
  { from, to, ...query }: ThroughputQuery,
): Promise<readonly ThroughputPoint[]> {
  const rows = await readPoints.run(durable, { ...query, from: from.toISOString(), to: to.toISOString() });
  return rows.map((row) => ({
    step: row.step,
    key: row.key,
    jobName: row.job_name,
    ok: row.ok,
    error: row.error,
    inputTokens: row.input_tokens,
    outputTokens: row.output_tokens,
    leasesExpired: row.leases_expired,
  }));
}

/** Deletes a bounded part of the counts that are older than seven days. */
export async function deleteOldMinutes({ long }: ConnectionPools): Promise<void> {
  await deleteOld.run(long);
}
