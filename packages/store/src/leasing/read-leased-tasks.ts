import { sql } from 'drizzle-orm';
import { jobs, tasks } from '../database/schema.ts';
import { statement } from '../database/statement.ts';
import type { TaskItemRow } from '../tasks/leased-tasks.ts';
import { itemsWithoutOutcome } from '../tasks/task-items.ts';

export type ReadLeasedTasksArguments = {
  worker: string;
  taskIds: readonly string[];
  attempts: readonly number[];
};

/** Reads leases that a worker holds, with the items that have no outcome now. */
export const readLeasedTasks = statement<ReadLeasedTasksArguments, TaskItemRow>(
  (arg) => sql`
  with wanted as materialized (
    select * from unnest(${arg.taskIds('bigint[]')}, ${arg.attempts('int[]')}) as wanted (task_id, attempt)
  )
  select ${tasks.id}::text, ${tasks.jobId}, ${tasks.attempts}, ${jobs.jobType}, ${jobs.model}, ${jobs.params}, item.item_id, item.payload
  from wanted
  join ${tasks} on ${tasks.id} = wanted.task_id and ${tasks.attempts} = wanted.attempt
  join ${jobs} on ${jobs.id} = ${tasks.jobId}
  left join lateral (${itemsWithoutOutcome(sql`${tasks}`)}
  ) as item on true
  where ${tasks.status} = 'leased' and ${tasks.assignedWorker} = ${arg.worker('text')}
  order by ${tasks.id}, item.seq`,
);
