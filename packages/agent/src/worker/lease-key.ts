import type { LeaseName } from '@macbatch/contract';

/** One text for each lease: the task and the lease's number. */
export function leaseKey({
  task_id,
  attempt,
}: {
  readonly task_id: string | null;
  readonly attempt: number | null;
}): string {
  return `${task_id}/${attempt}`;
}

/** Strips a lease down to what names it on the wire. */
export function leaseNameOf({ task_id, attempt }: LeaseName): LeaseName {
  return { task_id, attempt };
}
