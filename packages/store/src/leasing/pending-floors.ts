/** Cache lifetime of floors. After it a claim starts at a job's first task: another process may have sent one back. */
const FLOOR_LIFETIME_MS = 1000;

/**
 * The pending floor of each job: this process has claimed all tasks up to this id. While a session holds
 * an old snapshot, Postgres can't remove the dead index entries of finished tasks, and a claim from the start
 * would walk over all of them.
 */
export class PendingFloors {
  readonly #floors = new Map<string, bigint>();
  #clearedAtMs = Number.NEGATIVE_INFINITY;

  /** The floors of these jobs, 0 where none is known. `nowMs` is the time of a monotonic clock. */
  of(jobIds: readonly string[], nowMs: number): string[] {
    if (nowMs - this.#clearedAtMs > FLOOR_LIFETIME_MS) {
      this.#floors.clear();
      this.#clearedAtMs = nowMs;
    }
    return jobIds.map((id) => String(this.#floors.get(id) ?? 0n));
  }

  get empty(): boolean {
    return this.#floors.size === 0;
  }

  raise(jobId: string, taskId: bigint): void {
    const floor = this.#floors.get(jobId);
    if (floor === undefined || floor < taskId) this.#floors.set(jobId, taskId);
  }

  clear(): void {
    this.#floors.clear();
  }
}
