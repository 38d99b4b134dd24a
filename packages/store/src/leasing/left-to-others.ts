import { LASTING_TROUBLES, REJECTED_LEFT_TO_OTHERS_SECONDS } from '@macbatch/core';
import { type SQL, sql } from 'drizzle-orm';
import { leases, workers } from '../database/schema.ts';
import { takesWork } from '../workers/pause.ts';

const leftToOthers = sql.raw(`interval '${REJECTED_LEFT_TO_OTHERS_SECONDS} seconds'`);

/** Codes of troubles in which a worker does not count as another one that may run the work. */
const HOPELESS = sql.raw(LASTING_TROUBLES.map((code) => `'${code}'`).join(', '));

/**
 * True if this boot of a worker has released the task as rejected a short time ago. A new boot may have another
 * setting, and after some time the server may have been repaired.
 */
export const hasRejected = (taskId: SQL, worker: SQL, boot: SQL): SQL => sql`
  exists (
    select from ${leases}
    where ${leases.taskId} = ${taskId} and ${leases.workerId} = ${worker} and ${leases.bootId} = ${boot}
      and ${leases.rejected} and ${leases.leasedAt} > now() - ${leftToOthers}
    offset 0)`;

/**
 * True if another alive worker may run the task: it offers such work, or its server has a trouble for a short time,
 * and it has not rejected the task itself. `job` names a row with `job_type` and `model`.
 */
export const anotherMayRun = (taskId: SQL, job: SQL, worker: SQL): SQL => sql`
  exists (
    select from ${workers}
    where ${workers.id} <> ${worker} and ${takesWork()}
      and ((${job}.job_type = any(${workers.jobTypes}) and ${job}.model = any(${workers.models}))
        or exists (
          select from jsonb_to_recordset(${workers.troubles}::jsonb)
            as trouble ("jobType" text, model text, code text, "sinceSeconds" float8)
          where trouble."jobType" = ${job}.job_type and trouble.model = ${job}.model and trouble.code not in (${HOPELESS})
            and trouble."sinceSeconds" < ${sql.raw(String(REJECTED_LEFT_TO_OTHERS_SECONDS))}))
      and not ${hasRejected(taskId, sql`${workers}.id`, sql`${workers}.boot_id`)}
    offset 0)`;
