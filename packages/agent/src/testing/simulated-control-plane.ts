import type { LeasedTask, Outcome, ReleasedLease, ReportEntry, ReportedError } from '@macbatch/contract';
import type { Offer } from '../runtimes/runtime.ts';
import { LEASE_MS, leaseOf } from './worker-fixture.ts';

const MAX_ATTEMPTS = 3;

/** A task at the simulated control plane. */
interface SimulatedTask {
  readonly lease: LeasedTask;
  readonly outcomes: Map<string, Outcome>;
  /** Workers that have released it as rejected. */
  readonly rejectedBy: Set<string>;
  attempts: number;
  returns: number;
  holder: string | null;
  state: 'pending' | 'leased' | 'done' | 'failed';
}

interface ConnectedWorker {
  /** What it can run now, or when a short trouble is over. */
  offers(): readonly Offer[];
  /** Has it ask for work, if it wants some. */
  wake(): void;
}

/**
 * A control plane in simulated time, with one job. It grants the first pending task, counts attempts as rules T2 and T6
 * say, and leaves rejected tasks to other workers.
 */
export class SimulatedControlPlane {
  readonly taskErrors: ReportedError[] = [];
  readonly #tasks: readonly SimulatedTask[];
  readonly #workers = new Map<string, ConnectedWorker>();
  readonly #isOld: boolean;

  /** `shape`: the number of items of each task. `isOld`: it does not know rejected tasks. */
  constructor(shape: readonly number[], { isOld = false } = {}) {
    this.#isOld = isOld;
    this.#tasks = shape.map((items, n) => ({
      lease: leaseOf(`${n + 1}`, items),
      outcomes: new Map(),
      rejectedBy: new Set(),
      attempts: 0,
      returns: 0,
      holder: null,
      state: 'pending',
    }));
  }

  connect(name: string, worker: ConnectedWorker): void {
    this.#workers.set(name, worker);
  }

  get outcomes(): ReadonlyMap<string, Outcome> {
    return new Map(this.#tasks.flatMap(({ outcomes }) => [...outcomes]));
  }

  /** Leases that were charged to a task. */
  get charged(): number {
    return this.#tasks.reduce((sum, { attempts, returns }) => sum + attempts - returns, 0);
  }

  get isOver(): boolean {
    return this.#tasks.every(({ state }) => state === 'done' || state === 'failed');
  }

  lease(worker: string, wanted: readonly Offer[]): LeasedTask | null {
    const task = this.#tasks.find(
      ({ state, lease, rejectedBy }) =>
        state === 'pending' &&
        wanted.some((offer) => isFor(offer, lease)) &&
        !(rejectedBy.has(worker) && this.#anotherMayRun(worker, lease, rejectedBy)),
    );
    if (task === undefined) return null;
    task.state = 'leased';
    task.attempts += 1;
    task.holder = worker;
    return {
      ...task.lease,
      items: task.lease.items.filter(({ item_id }) => !task.outcomes.has(item_id)),
      attempt: task.attempts,
      lease_seconds: LEASE_MS / 1000,
      ...(this.#isOld ? {} : { no_other_worker: task.rejectedBy.has(worker) }),
    };
  }

  /** T10: an error from a lease that is no longer held changes nothing. */
  report(worker: string, entries: readonly ReportEntry[]): void {
    for (const { task_id, attempt, outcomes, error } of entries) {
      const task = this.#tasks.find(({ lease }) => lease.task_id === task_id);
      if (task === undefined) continue;
      const isHolder = isHeld(task, worker, attempt);
      for (const outcome of outcomes) {
        if ((isHolder || 'output' in outcome) && !task.outcomes.has(outcome.item_id))
          task.outcomes.set(outcome.item_id, outcome);
      }
      if (task.outcomes.size === task.lease.items.length) task.state = 'done';
      else if (isHolder && error !== undefined) {
        this.taskErrors.push(error);
        task.state = task.attempts - task.returns >= MAX_ATTEMPTS ? 'failed' : 'pending';
      }
    }
  }

  release(worker: string, releases: readonly ReleasedLease[]): void {
    for (const { task_id, attempt, rejected } of releases) {
      const task = this.#tasks.find(({ lease }) => lease.task_id === task_id);
      if (task === undefined || !isHeld(task, worker, attempt)) continue;
      task.returns += 1;
      task.state = 'pending';
      if (rejected === true && this.#isOld) throw new Error('an older control plane cannot read a rejection');
      if (rejected === true) task.rejectedBy.add(worker);
    }
    for (const { wake } of this.#workers.values()) wake();
  }

  #anotherMayRun(worker: string, lease: LeasedTask, rejectedBy: ReadonlySet<string>): boolean {
    return [...this.#workers].some(
      ([other, { offers }]) =>
        other !== worker && !rejectedBy.has(other) && offers().some((offer) => isFor(offer, lease)),
    );
  }
}

function isFor(offer: Offer, { job_type, model }: LeasedTask): boolean {
  return offer.job_type === job_type && offer.model === model;
}

function isHeld({ holder, attempts, state }: SimulatedTask, worker: string, attempt: number): boolean {
  return holder === worker && attempts === attempt && state === 'leased';
}
