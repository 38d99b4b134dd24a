import { TASK_STATUSES, type TaskStatus } from '@macbatch/core';

/** A status as it comes out of the database, which a check constraint keeps to the four. */
export function statusOf(text: string): TaskStatus {
  const status = TASK_STATUSES.find((known) => known === text);
  if (status === undefined) throw new TypeError(`no task has the status ${text}`);
  return status;
}
