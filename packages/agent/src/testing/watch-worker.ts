import type { LeaseName, ReportEntry } from '@macbatch/contract';
import type { Effect } from '../worker/effect.ts';
import type { Happening, WorkerEvent } from '../worker/event.ts';
import { isStartable } from '../worker/held-task.ts';
import { leaseKey } from '../worker/lease-key.ts';
import { step } from '../worker/step.ts';
import type { RuntimeState, WorkerState } from '../worker/worker-state.ts';

/** What events and effects say about one lease. */
interface WatchedLease {
  readonly items: readonly string[];
  readonly copy: boolean;
  readonly running: Set<string>;
  /** Items whose outcome is in the outbox. */
  readonly saved: Set<string>;
  readonly acknowledged: Set<string>;
  readonly recordedElsewhere: Set<string>;
  /** Items that were handed back to the control plane without a run. */
  readonly handedBack: Set<string>;
}

/**
 * Runs a worker step by step and throws at the first step that breaks a rule. It judges by events and effects. It
 * reads the state only for held tasks, runs and slots.
 */
export class WatchedWorker {
  #state: WorkerState;
  readonly #leases = new Map<string, WatchedLease>();
  /** Lease and item of each run that has not ended. */
  readonly #runs = new Map<
    number,
    { readonly key: string; readonly itemId: string; readonly alone: boolean }
  >();
  /** By held-task number: the time until which its lease is certainly valid. */
  readonly #trustedUntil = new Map<number, number>();
  #sending: { readonly key: string; readonly itemIds: readonly string[] }[] = [];
  #draining = false;
  #workEndedCount = 0;

  constructor(state: WorkerState) {
    this.#state = state;
  }

  get state(): WorkerState {
    return this.#state;
  }

  /** Items with an outcome in the outbox that is neither acknowledged nor recorded elsewhere. */
  get unacknowledged(): readonly string[] {
    return [...this.#leases.values()].flatMap(({ saved, acknowledged, recordedElsewhere }) =>
      [...saved].filter((id) => !acknowledged.has(id) && !recordedElsewhere.has(id)),
    );
  }

  get workEnded(): number {
    return this.#workEndedCount;
  }

  take(happening: Happening, now: number): void {
    const event: WorkerEvent = { ...happening, now };
    const before = deepFreeze(this.#state);
    this.#noteEvent(event);
    const { state, effects } = step(before, event);
    this.#state = state;
    this.#noteTrust(event, state);
    if (event.kind === 'item_ended' && !savesRun(effects, event.run)) this.#endRun(event.run, false);
    for (const effect of effects) this.#noteEffect(effect, now);
    this.#checkSaved(event, before, effects);
    this.#checkSlots(now);
  }

  #noteEvent(event: WorkerEvent): void {
    if (event.kind === 'drain') this.#draining = true;
    if (event.kind === 'leased')
      for (const lease of event.tasks) {
        this.#hold(
          leaseKey(lease),
          lease.items.map(({ item_id }) => item_id),
          lease.copy,
        );
      }
    if (event.kind === 'outbox_read') {
      for (const { outcomes, ...lease } of event.recovered) {
        const watched = this.#hold(leaseKey(lease), [], false);
        for (const { item_id } of outcomes) watched.saved.add(item_id);
      }
    }
    if (event.kind === 'outcome_saved') this.#endRun(event.run, true);
    if (event.kind === 'heartbeat_answered') {
      for (const lease of event.reply.settled) this.#noteElsewhere(lease, lease.item_ids);
    }
    if (event.kind === 'report_answered') {
      for (const { key, itemIds } of this.#sending) {
        for (const id of itemIds) this.#leases.get(key)?.acknowledged.add(id);
      }
      this.#sending = [];
      for (const reply of event.replies.values()) {
        const { task_id, attempt } = reply;
        if (task_id === null || attempt === null) continue;
        this.#noteElsewhere({ task_id, attempt }, reply.settled ?? []);
      }
    }
    if (event.kind === 'report_failed') this.#sending = [];
  }

  /** A lease is certainly valid for `lease_seconds` after the lease request or heartbeat was sent. */
  #noteTrust(event: WorkerEvent, { tasks }: WorkerState): void {
    if (event.kind === 'leased') {
      for (const { number, lease } of tasks) {
        if (!this.#trustedUntil.has(number))
          this.#trustedUntil.set(number, event.sentAt + lease.lease_seconds * 1000);
      }
    }
    if (event.kind === 'heartbeat_answered') {
      const lost = new Set(event.reply.lost.map(leaseKey));
      for (const lease of event.plan.renews) {
        const seconds = tasks.find(({ number }) => number === lease.task)?.lease.lease_seconds;
        if (seconds === undefined || lost.has(leaseKey(lease))) continue;
        this.#trustedUntil.set(lease.task, event.sentAt + seconds * 1000);
      }
    }
  }

  #noteEffect(effect: Effect, now: number): void {
    if (effect.kind === 'start_item') this.#checkStart(effect, now);
    if (effect.kind === 'send_report') this.#checkReport(effect);
    if (effect.kind === 'forget_lease') this.#checkForget(effect.lease);
    if (effect.kind === 'ask_for_work') check(!this.#draining, 'asks for work after a drain');
    if (effect.kind === 'work_ended') {
      this.#workEndedCount += 1;
      check(this.#draining && this.#runs.size === 0, 'says that the work has ended while items run');
    }
  }

  #checkStart({ run, lease, item, alone }: Extract<Effect, { kind: 'start_item' }>, now: number): void {
    const key = leaseKey(lease);
    const id = item.item_id;
    const watched = this.#leases.get(key);
    check(!this.#draining, `starts ${id} after a drain`);
    check(watched !== undefined, `starts ${id} of a lease that it does not hold`);
    check(!watched.saved.has(id), `starts ${id}, which has an outcome`);
    check(!watched.running.has(id), `starts ${id} while it is running`);
    check(!watched.handedBack.has(id), `starts ${id}, which was handed back`);
    check(!alone || this.#runs.size === 0, `starts the suspect ${id} beside others`);
    check(
      [...this.#runs.values()].every((other) => !other.alone),
      `starts ${id} beside a suspect`,
    );
    const task = this.#state.runs.find(({ number }) => number === run)?.task;
    const trusted = task === undefined ? undefined : this.#trustedUntil.get(task);
    check(trusted !== undefined && now <= trusted, `starts ${id} though its lease may have expired`);
    watched.running.add(id);
    this.#runs.set(run, { key, itemId: id, alone });
    check(this.#runs.size <= this.#state.settings.slots, 'runs more items than it has slots');
  }

  /** W6: only outcomes in the outbox are reported, and no reported item is handed back. */
  #checkReport({ entries, releases }: Extract<Effect, { kind: 'send_report' }>): void {
    check(this.#sending.length === 0, 'sends a report while another is under way');
    this.#sending = entries.map((entry) => ({
      key: leaseKey(entry),
      itemIds: entry.outcomes.map(({ item_id }) => item_id),
    }));
    for (const entry of entries) this.#checkEntry(entry);
    for (const lease of releases) this.#handBack(lease, entries);
  }

  #checkEntry(entry: ReportEntry): void {
    const watched = this.#leases.get(leaseKey(entry));
    check(watched !== undefined, `reports ${leaseKey(entry)}, which was never leased`);
    check(!entry.final || !watched.copy, `reports the copy ${leaseKey(entry)} as complete`);
    if (entry.final) {
      const left = watched.items.find((id) => !watched.saved.has(id) && !watched.recordedElsewhere.has(id));
      check(left === undefined, `reports ${leaseKey(entry)} as complete without ${left}`);
    }
    for (const { item_id } of entry.outcomes) {
      check(watched.saved.has(item_id), `reports ${item_id} before it is in the outbox`);
      check(!watched.handedBack.has(item_id), `reports ${item_id}, which was handed back as not run`);
    }
  }

  #handBack(lease: LeaseName, entries: readonly ReportEntry[]): void {
    const key = leaseKey(lease);
    const watched = this.#leases.get(key);
    check(watched !== undefined, `releases ${key}, which was never leased`);
    const entry = entries.find((each) => leaseKey(each) === key);
    const reported = new Set(entry?.outcomes.map(({ item_id }) => item_id));
    for (const id of watched.saved) {
      const known = reported.has(id) || watched.acknowledged.has(id) || watched.recordedElsewhere.has(id);
      check(known, `hands back ${id}, whose outcome is not reported`);
    }
    for (const id of watched.items) {
      if (watched.saved.has(id) || watched.running.has(id) || watched.recordedElsewhere.has(id)) continue;
      check(entry?.final !== true, `reports ${key} as complete and hands ${id} back`);
      watched.handedBack.add(id);
    }
  }

  #checkForget(lease: LeaseName): void {
    const watched = this.#leases.get(leaseKey(lease));
    check(watched !== undefined, `forgets ${leaseKey(lease)}, which it does not hold`);
    for (const id of watched.saved) {
      const recorded = watched.acknowledged.has(id) || watched.recordedElsewhere.has(id);
      check(recorded, `forgets ${leaseKey(lease)} before ${id} is acknowledged`);
    }
  }

  /** W6: the step that handles an item's outcome must emit `save_outcome`. */
  #checkSaved(event: WorkerEvent, before: WorkerState, effects: readonly Effect[]): void {
    if (event.kind !== 'item_ended' || event.end.kind !== 'outcome') return;
    const { item_id } = event.end.outcome;
    const wasRunning = before.runs.some(({ number }) => number === event.run);
    check(!wasRunning || savesRun(effects, event.run), `drops the outcome of ${item_id}`);
  }

  /** No slot is idle while an item may run in it. A worker that waits for an endpoint has set its alarm. */
  #checkSlots(now: number): void {
    const { tasks, runs, settings, wakeAt, runtimes } = this.#state;
    if (wakeAt !== null && wakeAt > now) return;
    // Nothing starts on a server before it has answered its test.
    if (runtimes.some(({ testing }) => testing)) return;
    const startable = tasks.filter(
      (task) => isStartable(task) && !task.possiblyExpired && now <= task.trustedUntil,
    );
    const hasSuspects = tasks.some((task) => task.suspects.length > 0 && !task.possiblyExpired);
    if (runs.length === 0) check(startable.length === 0, 'leaves all slots idle');
    if (runs.some(({ suspicion }) => suspicion !== null) || hasSuspects) return;
    if (runtimes.some(isHeldUp) || runs.some(({ exclusive }) => exclusive)) return;
    const queued = startable.some(({ queue }) => queue.length > 0);
    check(runs.length >= settings.slots || !queued, 'leaves a slot idle');
  }

  #hold(key: string, items: readonly string[], copy: boolean): WatchedLease {
    const watched: WatchedLease = {
      items,
      copy,
      running: new Set(),
      saved: new Set(),
      acknowledged: new Set(),
      recordedElsewhere: new Set(),
      handedBack: new Set(),
    };
    this.#leases.set(key, watched);
    return watched;
  }

  #endRun(run: number, saved: boolean): void {
    const ended = this.#runs.get(run);
    if (ended === undefined) return;
    this.#runs.delete(run);
    const watched = this.#leases.get(ended.key);
    watched?.running.delete(ended.itemId);
    if (saved) watched?.saved.add(ended.itemId);
  }

  #noteElsewhere(lease: LeaseName, itemIds: readonly string[]): void {
    const watched = this.#leases.get(leaseKey(lease));
    for (const id of itemIds) if (watched?.saved.has(id) === false) watched.recordedElsewhere.add(id);
  }
}

/** Whether a runtime runs fewer items than it could: it is in trouble or overloaded, or an item has to run alone there. */
function isHeldUp({ control, records }: RuntimeState): boolean {
  const { gate, lanes, slots, remote } = control;
  return (
    gate !== null ||
    // A server starts with one item.
    (remote && lanes.length === 0) ||
    lanes.some((lane) => lane.gate !== null || lane.limit < slots || lane.abandoned.length > 0) ||
    records.some(({ alone }) => alone)
  );
}

function savesRun(effects: readonly Effect[], run: number): boolean {
  return effects.some((effect) => effect.kind === 'save_outcome' && effect.run === run);
}

function check(holds: boolean, broken: string): asserts holds {
  if (!holds) throw new Error(`the worker ${broken}`);
}

/** Makes a step that changes its input throw. */
function deepFreeze<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const member of Object.values(value)) deepFreeze(member);
  return value;
}
