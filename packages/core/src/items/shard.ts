/** Items per task by default: small, so that a closed lid loses little work. */
export const DEFAULT_SHARD_SIZE = 10;

/** The largest shard a submission may ask for. */
export const MAX_SHARD_SIZE = 10_000;

/** Most bytes of payloads in one task, unless a single item is larger. */
export const MAX_TASK_BYTES = 16 * 1024 * 1024;

/** Most bytes of payloads in one reply to a lease call, unless its first task is larger. */
export const MAX_LEASE_BYTES = 2 * MAX_TASK_BYTES;

/** Returns the number of tasks of a job: its items are cut into shards of `shardSize` consecutive items. */
export function taskCount(itemCount: number, shardSize: number): number {
  return Math.ceil(itemCount / shardSize);
}
