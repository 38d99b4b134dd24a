import type { GivenRow } from './claim.ts';
import type { LeasedTask } from './lease.ts';

/** Tasks out of rows of their items, in the order of the rows: those of one task stand together. */
export function leasedTasks(rows: readonly GivenRow[]): LeasedTask[] {
  const tasks: (LeasedTask & { readonly items: { itemId: string; payload: string }[] })[] = [];
  for (const row of rows) {
    let task = tasks.at(-1);
    if (task?.taskId !== row.id) {
      task = {
        taskId: row.id,
        jobId: row.job_id,
        attempt: row.attempts,
        jobType: row.job_type,
        model: row.model,
        params: row.params,
        copy: false,
        items: [],
      };
      tasks.push(task);
    }
    if (row.item_id !== null && row.payload !== null)
      task.items.push({ itemId: row.item_id, payload: row.payload });
  }
  return tasks;
}
