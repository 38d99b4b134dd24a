import type { ConnectionPool } from '@macbatch/connection';
import { MAX_LEASE_BYTES } from '@macbatch/core';
import { sql } from 'drizzle-orm';
import { items, tasks } from '../database/schema.ts';
import { statement } from '../database/statement.ts';
import { isItemOf } from './task-items.ts';

/** Reads the payload bytes of tasks, in the order of their ids. */
const readTaskBytes = statement<
  { taskIds: readonly string[] },
  { readonly task_id: string; readonly bytes: number }
>(
  (arg) => sql`
  select ${tasks.id}::text as task_id,
    (select coalesce(sum(octet_length(${items.payload})), 0) from ${items} where ${isItemOf(sql`${tasks}`)})::float8 as bytes
  from ${tasks} where ${tasks.id} = any(${arg.taskIds('bigint[]')}) order by ${tasks.id}`,
);

/** Returns the first of these tasks that fit into one reply: at least one, if there is any. */
export async function firstTasksOfReply(
  pool: ConnectionPool,
  taskIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const fitting = new Set<string>();
  let bytes = 0;
  for (const task of await readTaskBytes.run(pool, { taskIds })) {
    bytes += task.bytes;
    if (fitting.size > 0 && bytes > MAX_LEASE_BYTES) break;
    fitting.add(task.task_id);
  }
  return fitting;
}
