/** Items per task by default: small, so that a closed lid costs little. */
export const DEFAULT_SHARD_SIZE = 10;

/** The largest shard a submission may ask for. */
export const MAX_SHARD_SIZE = 10_000;

/** How many tasks `itemCount` items make when cut into shards of `shardSize` consecutive items. */
export function taskCount(itemCount: number, shardSize: number): number {
  return Math.ceil(itemCount / shardSize);
}
