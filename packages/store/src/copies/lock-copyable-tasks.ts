import { sql } from 'drizzle-orm';
import { guard } from '../database/rule-sql.ts';
import { copies, jobs, leases, tasks } from '../database/schema.ts';
import { statement } from '../database/statement.ts';
import { lockOwnWorker, mayLease } from '../workers/goodbye.ts';
import { isUnfinishedCopy } from './unfinished-copy.ts';

type LockCopyableArguments = {
  worker: string;
  boot: string;
  holder: string;
  jobType: string;
  model: string;
  maxTasks: number;
};

/**
 * Selects and locks a holder's copyable tasks, most recently leased first. Returns none for a worker that holds
 * tasks or copies itself, or for a boot that has said goodbye. Skips tasks that another copier has locked: which items have copies must be read by a
 * later statement than the one that locks the task.
 */
export const lockCopyableTasks = statement<LockCopyableArguments, { readonly id: string }>(
  (arg) => sql`
  with ${lockOwnWorker(arg.worker('text'))}
  select ${tasks.id}::text from ${tasks}
  join ${jobs} on ${jobs.id} = ${tasks.jobId}
  join ${leases} on ${leases.taskId} = ${tasks.id} and ${leases.attempt} = ${tasks.attempts}
  where ${guard('copy', { worker: arg.worker('text') })} and ${tasks.assignedWorker} = ${arg.holder('text')}
    and ${mayLease(arg.boot('text'))}
    and ${jobs.jobType} = ${arg.jobType('text')} and ${jobs.model} = ${arg.model('text')}
    and not exists (select from tasks as own where own.status = 'leased' and own.assigned_worker = ${arg.worker('text')})
    and not exists (
      select from ${copies} as own join tasks as copied on copied.id = own.task_id
      where own.worker_id = ${arg.worker('text')} and own.ended is null and own.lease_until > now() and copied.status <> 'done'
        and ${isUnfinishedCopy(sql`own`, sql`copied.job_id`)})
  order by ${leases.leasedAt} desc, ${tasks.id} desc
  limit ${arg.maxTasks('int')}
  for no key update of ${tasks} skip locked`,
);
