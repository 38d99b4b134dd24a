import { sql } from 'drizzle-orm';
import { assignments, guard } from '../database/rule-sql.ts';
import { copies, events, tasks } from '../database/schema.ts';
import { statement } from '../database/statement.ts';
import { isUnfinishedCopy } from './unfinished-copy.ts';

/**
 * Ends up to `limit` copies whose lease has passed. A copy with an unfinished item is lost, and counts as a lost
 * lease of its task.
 *
 * Locks each task before its copies, like every statement that changes a copy; the other order could deadlock. A
 * copy that was renewed or released in between is therefore detected only when it would be closed, and stays open.
 */
export const expireCopies = statement<{ limit: number }, { readonly lost: number }>(
  (arg) => sql`
  with due as materialized (
    select * from ${copies} where ${copies.ended} is null and ${copies.leaseUntil} <= now()
    order by ${copies.taskId} limit ${arg.limit('int')}
  ),
  task as materialized (
    select ${tasks.id}, ${tasks.jobId}, ${tasks.status}, ${tasks.cancelled} from ${tasks}
    where ${tasks.id} in (select task_id from due) order by ${tasks.id} for no key update skip locked
  ),
  judged as materialized (
    select due.*, task.job_id, task.status in ('pending', 'leased') and not task.cancelled
      and ${isUnfinishedCopy(sql`due`, sql`task.job_id`)} as lost
    from due left join task on task.id = due.task_id
    where task.id is not null or not exists (select from ${tasks} where ${tasks.id} = due.task_id)
  ),
  closed as (
    update ${copies} set ended = case when judged.lost then 'lost' else 'done' end from judged
    where ${copies.taskId} = judged.task_id and ${copies.attempt} = judged.attempt
      and ${copies.workerId} = judged.worker_id and ${copies.firstSeq} = judged.first_seq
      and ${copies.ended} is null and ${copies.leaseUntil} <= now()
    returning judged.*
  ),
  event as (
    insert into ${events} (kind, job_id, task_id, worker_id, attempt)
    select 'copy_lost', job_id, task_id, worker_id, attempt from closed where lost order by task_id
  ),
  charged as (
    update ${tasks} set ${assignments('lose_copy', {})}
    where ${tasks.id} in (select task_id from closed where lost) and ${guard('lose_copy', {})}
  )
  select (count(*) filter (where lost))::int as lost from closed`,
);
