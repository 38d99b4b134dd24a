import { MAX_TASK_BYTES } from '@macbatch/core';

/**
 * Finds where a job's items must be cut into tasks so that no task of several items has more than `MAX_TASK_BYTES`.
 * Between these cuts, the items are cut by the shard size alone, so memory does not grow with the number of items.
 */
export class TaskCuts {
  readonly #shardSize: number;
  readonly #starts = [0];
  #seq = 0;
  /** Items and payload bytes of the task that is being filled. */
  #items = 0;
  #bytes = 0;
  /** Payload bytes of the largest task so far. */
  largestTaskBytes = 0;

  constructor(shardSize: number) {
    this.#shardSize = shardSize;
  }

  /** Adds the next item. */
  add(payloadBytes: number): void {
    if (this.#items === this.#shardSize) this.#startTask();
    if (this.#items > 0 && this.#bytes + payloadBytes > MAX_TASK_BYTES) {
      this.#starts.push(this.#seq);
      this.#startTask();
    }
    this.#items += 1;
    this.#bytes += payloadBytes;
    this.#seq += 1;
    this.largestTaskBytes = Math.max(this.largestTaskBytes, this.#bytes);
  }

  /** Sequence numbers at which a task begins because of its bytes; the first is 0. */
  get starts(): readonly number[] {
    return this.#starts;
  }

  /** Tasks with fewer items than the shard size because of their bytes. */
  get smallerTasks(): number {
    return this.#starts.length - 1;
  }

  #startTask(): void {
    this.#items = 0;
    this.#bytes = 0;
  }
}
