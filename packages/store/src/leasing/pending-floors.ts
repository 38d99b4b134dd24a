/** After this long a claim looks at a job from its start again: another process may have sent a task back. */
const LOOK_AGAIN_MS = 1000;

/**
 * For each job, a task id up to which this process has seen nothing pending. While some session holds an
 * old snapshot, dead index entries of finished tasks can't be cleaned up and every claim from the start
 * would walk over all of them.
 */
export class PendingFloors {
  readonly #floors = new Map<string, bigint>();
  #since = Number.NEGATIVE_INFINITY;

  /** The floors of these jobs to claim with at the moment `nowMs` of a monotonic clock. */
  of(jobIds: readonly string[], nowMs: number): string[] {
    if (nowMs - this.#since > LOOK_AGAIN_MS) {
      this.#floors.clear();
      this.#since = nowMs;
    }
    return jobIds.map((id) => String(this.#floors.get(id) ?? 0n));
  }

  get empty(): boolean {
    return this.#floors.size === 0;
  }

  claimed(jobId: string, taskId: bigint): void {
    const floor = this.#floors.get(jobId);
    if (floor === undefined || floor < taskId) this.#floors.set(jobId, taskId);
  }

  clear(): void {
    this.#floors.clear();
  }
}
