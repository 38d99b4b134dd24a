/** A task as a worker gets it, with the items that have no outcome yet. */
export interface LeasedTask {
  readonly taskId: string;
  readonly jobId: string;
  readonly attempt: number;
  readonly jobType: string;
  readonly model: string;
  /** JSON text. */
  readonly params: string;
  /** Another worker has the lease, and these items are a copy. */
  readonly copy: boolean;
  /** The worker has released the task as rejected, and no other worker can run it now. */
  readonly noOtherWorker: boolean;
  readonly items: { readonly itemId: string; readonly payload: string }[];
}

/** One item of a task, or a task without items, where `item_id` and `payload` are null. */
export interface TaskItemRow {
  readonly id: string;
  readonly job_id: string;
  readonly attempts: number;
  readonly job_type: string;
  readonly model: string;
  readonly params: string;
  readonly no_other_worker?: boolean;
  readonly item_id: string | null;
  readonly payload: string | null;
}

/** Groups rows of items into tasks, in the order of the rows. The rows of a task follow each other. */
export function groupByTask(rows: readonly TaskItemRow[], { copy = false } = {}): LeasedTask[] {
  const tasks: LeasedTask[] = [];
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
        copy,
        noOtherWorker: row.no_other_worker === true,
        items: [],
      };
      tasks.push(task);
    }
    if (row.item_id !== null && row.payload !== null)
      task.items.push({ itemId: row.item_id, payload: row.payload });
  }
  return tasks;
}
