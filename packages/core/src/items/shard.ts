/** Items per task by default: small, so that a closed lid loses little work. */
export const DEFAULT_SHARD_SIZE = 10;

/** The largest shard a submission may ask for. */
export const MAX_SHARD_SIZE = 10_000;

/** Returns the number of tasks of a job: its items are cut into shards of `shardSize` consecutive items. */
export function taskCount(itemCount: number, shardSize: number): number {
  return Math.ceil(itemCount / shardSize);
}
