import type { JobSummary } from '@macbatch/contract';

const MIB = 1024 * 1024;

/** Says how many tasks are smaller than asked for because of the bytes of their items. Empty when none is. */
export function smallerTasksText({ smaller_tasks, shard_size, max_task_bytes, tasks }: JobSummary): string {
  if (smaller_tasks === 0 || max_task_bytes === null) return '';
  const most = `a task holds at most ${Math.floor(max_task_bytes / MIB)} MiB of payloads`;
  return `${smaller_tasks} of ${tasks.total} tasks have fewer than ${shard_size} items, because ${most}`;
}
