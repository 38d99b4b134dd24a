import type { LeasedTask } from '@macbatch/contract';
import type { AgentOptions } from '../agent/agent-options.ts';
import type { Reporter } from '../loops/reporter.ts';
import type { Journal } from '../outbox/journal.ts';
import type { ModelLoads } from '../rates/model-loads.ts';
import type { Paces } from '../rates/paces.ts';
import type { ItemEnd } from '../running/item-run.ts';
import { type LeasedRun, runLeased } from '../running/run-leased.ts';
import type { OffersHere } from '../runtimes/offers-here.ts';
import type { Offer, Runtime } from '../runtimes/runtime.ts';
import type { HeldTask, LeasedItem, Suspect } from './held-task.ts';
import { Quarantine, type Suspicion } from './quarantine.ts';
import { isComplete, unstartedRest } from './reportable.ts';

export interface SlotsDeps {
  readonly options: AgentOptions;
  readonly offers: OffersHere;
  readonly paces: Paces;
  readonly loads: ModelLoads;
  readonly journal: Journal;
  readonly reporter: Reporter;
  /** Called when nothing is left to start. */
  readonly onIdle: () => void;
  /** Called when a lease may have run out: a heartbeat must tell before more of it is started. */
  readonly onDoubt: () => void;
  /** Called when an item is to run alone: nobody else should be given it meanwhile. */
  readonly onSuspect: () => void;
  /** Called when a runtime takes up another model: others go by which one this worker has. */
  readonly onSwap: () => void;
}

/** The run of one item in a slot. */
interface Run extends LeasedRun {
  readonly task: HeldTask;
  /** What is held against the item: then it runs alone. */
  readonly suspicion: Suspicion | null;
  /** Nothing else has run here since it was started. */
  alone: boolean;
}

/** Runs the items of all the tasks that this worker holds, so many at once, and hands on what came of them. */
export class Slots {
  readonly #deps: SlotsDeps;
  readonly #held = new Set<HeldTask>();
  readonly #runs = new Set<Run>();
  readonly #quarantines = new WeakMap<Runtime, Quarantine>();

  constructor(deps: SlotsDeps) {
    this.#deps = deps;
  }

  get held(): ReadonlySet<HeldTask> {
    return this.#held;
  }

  get busy(): boolean {
    return this.#runs.size > 0;
  }

  /** An item runs alone, to see whether it is what crashes its runtime. */
  get quarantined(): boolean {
    return [...this.#runs].some(({ suspicion }) => suspicion !== null);
  }

  /** Something was finished under a lease that is lost, and the control plane does not know of it yet. */
  get owes(): boolean {
    return [...this.#held].some((task) => task.lost && task.outcomes.length > task.acknowledged);
  }

  get startable(): boolean {
    return [...this.#held].some((task) => task.startable);
  }

  add(task: HeldTask): void {
    this.#held.add(task);
    if (task.ended) this.#deps.reporter.add(task);
  }

  /** The control plane has answered for all of it. */
  settled(task: HeldTask): void {
    this.#held.delete(task);
  }

  /** Fills the free slots. */
  pump(): void {
    this.#fill();
    if (this.startable) return;
    this.#deps.onIdle();
    this.#deps.reporter.flush();
  }

  /** The control plane wants nothing more of this task. */
  drop(task: HeldTask, code: string): void {
    const { task_id, attempt } = task.lease;
    this.#deps.options.log('lease.lost', { task_id, attempt, code });
    task.lost = true;
    this.leave(task);
    task.abortRunning();
    // Before the task is leased again: what is recorded of it is not run again.
    this.#deps.reporter.flush();
  }

  /** Others have reported these items of a task. */
  settleItems(task: HeldTask, itemIds: readonly string[]): void {
    if (task.ended) return;
    task.settle(itemIds);
    if (task.ended) this.#deps.reporter.add(task);
    this.pump();
  }

  /** Leaves all that has not been started, and sends what is finished. */
  leaveAll(): void {
    for (const task of this.#held) this.leave(task);
    this.#deps.reporter.flush();
  }

  /**
   * Starts nothing more of a task; what runs may end. The rest is handed back now and not when that has: its
   * outcomes are welcome all the same, from a lease that is no longer held.
   */
  leave(task: HeldTask): void {
    const something = task.startable;
    task.startNoMore();
    if (!something) return;
    task.handBack = true;
    if (task.ended) {
      this.#deps.reporter.add(task);
    } else if (!task.lost) {
      task.lost = true;
      this.#deps.reporter.add(unstartedRest(task));
    }
  }

  abortAll(): void {
    for (const task of this.#held) task.abortRunning();
  }

  /** All the tasks feed the slots, oldest first; a suspect waits until they are empty and has them for itself. */
  #fill(): void {
    if (this.quarantined) return;
    const next = this.#nextSuspect();
    if (next !== null) {
      if (this.#runs.size > 0) return;
      const { task, suspect } = next;
      this.#start(task, suspect.item, task.startSuspect(suspect), suspect.suspicion);
      return;
    }
    for (const task of this.#held) {
      while (this.#runs.size < this.#deps.options.concurrency && task.hasUnsuspected) {
        if (this.#doubted(task)) break;
        const started = task.start();
        if (started !== null) this.#start(task, started.item, started.abort, null);
      }
    }
  }

  /** The one that has crashed least: the innocent are let go first, and show that the runtime is well. */
  #nextSuspect(): { readonly task: HeldTask; readonly suspect: Suspect } | null {
    const all = [...this.#held].flatMap((task) => task.suspects.map((suspect) => ({ task, suspect })));
    const [next] = all
      .filter(({ task }) => !this.#doubted(task))
      .toSorted((one, other) => one.suspect.suspicion.crashes - other.suspect.suspicion.crashes);
    return next ?? null;
  }

  /**
   * Whether the lease may have run out: this machine slept, or the task came at the end of a long wait. Then
   * nothing of it starts before a heartbeat has told.
   */
  #doubted(task: HeldTask): boolean {
    if (this.#deps.options.now() <= task.trustedUntil) return false;
    if (!task.doubted) {
      this.#deps.options.log('lease.doubted', { task_id: task.lease.task_id, attempt: task.lease.attempt });
      this.#deps.onDoubt();
    }
    task.doubted = true;
    return true;
  }

  #start(task: HeldTask, item: LeasedItem, abort: AbortController, suspicion: Suspicion | null): void {
    for (const other of this.#runs) other.alone = false;
    const runtime = this.#deps.offers.runtimeFor(offerOf(task.lease));
    const quarantine = runtime === undefined ? new Quarantine() : this.#quarantineOf(runtime);
    const run: Run = { task, item, abort, runtime, quarantine, suspicion, alone: this.#runs.size === 0 };
    this.#runs.add(run);
    void this.#carryOut(run);
  }

  async #carryOut(run: Run): Promise<void> {
    const { task, abort, runtime } = run;
    const { journal, paces, loads, reporter } = this.#deps;
    paces.started(offerOf(task.lease));
    const timed = runtime === undefined ? null : loads.started(runtime, task.lease.model);
    if (timed?.swapped === true) this.#deps.onSwap();
    const end = this.#judged(run, await runLeased(run, this.#deps.options.sleep));
    // An error may come at once, and says nothing of how long the work takes.
    const worked = end?.kind === 'outcome' && 'output' in end.outcome;
    paces.ended(offerOf(task.lease), worked);
    timed?.ended(worked);
    // W6: on the disk before anything is said of it.
    if (end?.kind === 'outcome') await journal.finished(task.lease, end.outcome);
    this.#runs.delete(run);
    task.stopped(abort);
    if (end !== null && !task.isSettled(run.item.item_id)) this.#note(task, end);
    if (task.ended) reporter[isComplete(task) ? 'addComplete' : 'add'](task);
    else if (end?.kind === 'outcome') reporter.note(task);
    this.pump();
  }

  /** What the end of a run means for its item; null where it is to run again, alone. */
  #judged(run: Run, end: ItemEnd): JudgedEnd | null {
    if (end.kind !== 'crashed') return end;
    if (run.runtime !== undefined) this.#deps.loads.forget(run.runtime);
    const { task, item, alone } = run;
    const { task_id, attempt } = task.lease;
    // Item ids are unique within a job only; a task belongs to one.
    const name = `${task_id}/${item.item_id}`;
    const verdict = run.quarantine.crashed(name, alone, run.suspicion);
    this.#deps.options.log('runtime.crashed', {
      task_id,
      attempt,
      item_id: item.item_id,
      alone,
      verdict: verdict.kind,
      reason: end.error.message,
    });
    switch (verdict.kind) {
      case 'again':
        if (task.suspect({ item, suspicion: verdict.suspicion })) {
          this.#deps.onSuspect();
          return null;
        }
        if (task.error !== null) return null;
        return { kind: 'aborted' };
      case 'item_error':
        return { kind: 'outcome', outcome: { item_id: item.item_id, error: end.error } };
      case 'not_here':
        return { kind: 'not_here', error: end.error };
    }
  }

  #quarantineOf(runtime: Runtime): Quarantine {
    const known = this.#quarantines.get(runtime);
    if (known !== undefined) return known;
    const quarantine = new Quarantine();
    this.#quarantines.set(runtime, quarantine);
    return quarantine;
  }

  #note(task: HeldTask, end: JudgedEnd): void {
    switch (end.kind) {
      case 'outcome':
        task.brought(end.outcome);
        if ('output' in end.outcome) this.#deps.offers.succeeded(offerOf(task.lease));
        break;
      case 'failed':
        task.failed(end.error);
        break;
      case 'not_here':
        this.#deps.options.log('task.not_here', { task_id: task.lease.task_id, code: end.error.code });
        this.#deps.offers.withdraw(offerOf(task.lease), end.error.code);
        task.handBack = true;
        task.startNoMore();
        break;
      case 'aborted':
        task.handBack = true;
        break;
    }
  }
}

type JudgedEnd = Exclude<ItemEnd, { readonly kind: 'crashed' }>;

function offerOf({ job_type, model }: LeasedTask): Offer {
  return { job_type, model };
}
