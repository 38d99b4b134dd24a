import type { ConnectionPools } from '@macbatch/connection';
import {
  hasManyErrors,
  NO_OUTCOMES,
  type OutcomeHistory,
  offersWork,
  type WorkKind,
  withOutcomes,
} from '@macbatch/core';
import { type AliveWorkerRow, type HistoryRow, readAliveWorkers, readHistories } from './read-histories.ts';

/** Jobs whose histories one process remembers. */
const MAX_JOBS_REMEMBERED = 10_000;

/** An open job in which something ended with an error. */
export interface JobWithErrors extends WorkKind {
  readonly id: string;
}

/** What one worker has done in one job. Times are those of the monotonic clock. */
export interface WorkerHistory {
  readonly boot: string | null;
  /** The tally at the last reading. */
  readonly ok: number;
  readonly errors: number;
  readonly outcomes: OutcomeHistory;
  /** When the worker first had many errors; null while it has few. */
  readonly manyErrorsSinceMs: number | null;
  /** When its tally last changed or its process was replaced. */
  readonly changedAtMs: number;
  readonly heardAtMs: number;
  readonly offline: boolean;
  leasedAtMs: number | null;
}

/**
 * The histories of workers in the jobs with errors. No table keeps them: each control plane derives them from the
 * changes of the tallies between its readings.
 */
export class WorkerHistories {
  readonly #connections: ConnectionPools;
  readonly #monotonicMs: () => number;
  readonly #byJob = new Map<string, Map<string, WorkerHistory>>();
  #jobs: readonly JobWithErrors[] = [];
  #alive: readonly AliveWorkerRow[] = [];
  #readAtMs = Number.NEGATIVE_INFINITY;

  constructor(connections: ConnectionPools, monotonicMs: () => number) {
    this.#connections = connections;
    this.#monotonicMs = monotonicMs;
  }

  /** The open jobs with errors at the last reading. */
  get jobs(): readonly JobWithErrors[] {
    return this.#jobs;
  }

  /** When the database was last read. */
  get readAtMs(): number {
    return this.#readAtMs;
  }

  /** The histories in one job, by worker. */
  inJob(jobId: string): ReadonlyMap<string, WorkerHistory> {
    return this.#byJob.get(jobId) ?? new Map<string, WorkerHistory>();
  }

  /** The other workers that are alive and offer this kind of work. */
  othersFor(worker: string, kind: WorkKind): readonly AliveWorkerRow[] {
    return this.#alive.filter(
      ({ id, job_types, models }) => id !== worker && offersWork({ jobTypes: job_types, models }, kind),
    );
  }

  noteLease(worker: string, jobId: string): void {
    const history = this.#byJob.get(jobId)?.get(worker);
    if (history !== undefined) history.leasedAtMs = this.#monotonicMs();
  }

  /** Reads the tallies again. */
  async refresh(): Promise<void> {
    const client = this.#connections.relaxed;
    const [rows, alive] = await Promise.all([readHistories.run(client), readAliveWorkers.run(client)]);
    if (this.#byJob.size > MAX_JOBS_REMEMBERED) this.#byJob.clear();
    const nowMs = this.#monotonicMs();
    for (const row of rows) {
      const histories = this.#byJob.get(row.job_id) ?? new Map<string, WorkerHistory>();
      this.#byJob.set(row.job_id, histories);
      histories.set(row.worker_id, updated(histories.get(row.worker_id), row, nowMs));
    }
    const jobs = rows.map(({ job_id, job_type, model }) => ({ id: job_id, jobType: job_type, model }));
    this.#jobs = [...new Map(jobs.map((job) => [job.id, job])).values()];
    this.#alive = alive;
    this.#readAtMs = this.#monotonicMs();
  }
}

function updated(before: WorkerHistory | undefined, row: HistoryRow, nowMs: number): WorkerHistory {
  const since = before ?? {
    boot: row.boot_id,
    ok: 0,
    errors: 0,
    outcomes: NO_OUTCOMES,
    manyErrorsSinceMs: null,
  };
  // A new process may have been repaired: it gets a task immediately, and its errors in a row count from zero.
  const base =
    since.boot === row.boot_id
      ? since
      : { ...since, outcomes: { ...since.outcomes, errorsInARow: 0 }, manyErrorsSinceMs: null };
  const outcomes = withOutcomes(
    base.outcomes,
    Math.max(0, row.items_ok - since.ok),
    Math.max(0, row.errors - since.errors),
  );
  const leasedAtMs = row.seconds_since_lease === null ? null : nowMs - row.seconds_since_lease * 1000;
  const changed = before === undefined || base !== before || outcomes !== base.outcomes;
  return {
    boot: row.boot_id,
    ok: row.items_ok,
    errors: row.errors,
    outcomes,
    manyErrorsSinceMs: hasManyErrors(outcomes) ? (base.manyErrorsSinceMs ?? nowMs) : null,
    changedAtMs: changed ? nowMs : before.changedAtMs,
    leasedAtMs: latest(leasedAtMs, before?.leasedAtMs ?? null),
    heardAtMs: nowMs - row.silent_seconds * 1000,
    offline: row.offline,
  };
}

function latest(one: number | null, other: number | null): number | null {
  if (one === null || other === null) return one ?? other;
  return Math.max(one, other);
}
