import type { LeasedTask } from '@macbatch/contract';
import { REPORT_SECONDS } from '@macbatch/core';
import { Heartbeats } from '../loops/heartbeats.ts';
import { Reporter } from '../loops/reporter.ts';
import { Bell } from '../loops/signal.ts';
import { requestWork, type ToldOffer } from '../loops/work-requests.ts';
import { Journal } from '../outbox/journal.ts';
import { ModelLoads } from '../rates/model-loads.ts';
import { Paces } from '../rates/paces.ts';
import { OffersHere } from '../runtimes/offers-here.ts';
import type { Offer } from '../runtimes/runtime.ts';
import { HeldTask } from '../worker/held-task.ts';
import { type Reportable, recovered } from '../worker/reportable.ts';
import { Slots } from '../worker/slots.ts';
import type { AgentOptions, AgentState } from './agent-options.ts';

/**
 * How long the last reports, and then the goodbye, may take once everything has ended: with the default
 * grace time still within the 20 s after which launchd kills.
 */
const FAREWELL_MS = 3000;

/**
 * A worker: leases tasks, runs their items on its runtimes, reports. Its slots are fed from all the tasks it
 * holds, and it asks for more when nothing is left to start.
 */
export class Agent {
  readonly #options: AgentOptions;
  readonly #offers: OffersHere;
  readonly #reporter: Reporter;
  readonly #journal: Journal;
  readonly #slots: Slots;
  readonly #heartbeats: Heartbeats;
  readonly #paces: Paces;
  readonly #loads: ModelLoads;
  /** What an earlier process finished and the control plane has not answered for yet. */
  readonly #recovered = new Set<Reportable>();
  readonly #moreWanted = new Bell();
  readonly #draining = new AbortController();
  readonly #workEnded = new AbortController();
  readonly #stopped = new AbortController();
  #admitted = false;
  #state: AgentState = 'starting';

  constructor(options: AgentOptions) {
    this.#options = options;
    this.#offers = new OffersHere(options.runtimes, options.now);
    this.#paces = new Paces(options.now, options.concurrency);
    this.#loads = new ModelLoads(options.now);
    this.#journal = new Journal(options.outbox ?? null, options.log);
    this.#reporter = new Reporter({
      client: options.client,
      workerId: options.workerId,
      log: options.log,
      random: options.random,
      sleep: options.sleep,
      now: options.now,
      reportMs: options.reportMs ?? REPORT_SECONDS * 1000,
      onUnwanted: (task, code) => this.#slots.drop(task, code),
      onItemsSettled: (task, itemIds) => this.#slots.settleItems(task, itemIds),
      onSettled: (task) => this.#settled(task),
      onSent: () => this.#moreWanted.ring(),
    });
    this.#slots = new Slots({
      options,
      offers: this.#offers,
      paces: this.#paces,
      loads: this.#loads,
      journal: this.#journal,
      reporter: this.#reporter,
      onIdle: () => this.#moreWanted.ring(),
      onDoubt: () => this.#heartbeats.ring(),
      onSuspect: () => this.#heartbeats.ring(),
      onSwap: () => this.#heartbeats.ring(),
    });
    this.#heartbeats = new Heartbeats({
      options,
      offers: this.#offers,
      paces: this.#paces,
      loads: this.#loads,
      held: () => this.#slots.held,
      onKnown: (deployment) => this.#recover(deployment),
      formerReported: () => this.#recovered.size === 0,
      onAdmission: (admitted) => this.#admit(admitted),
      onLost: (task, code) => this.#slots.drop(task, code),
      onItemsSettled: (task, itemIds) => this.#slots.settleItems(task, itemIds),
      onAnswered: () => this.#slots.pump(),
    });
  }

  get state(): AgentState {
    return this.#state;
  }

  /**
   * Works until `asked` aborts; then drains: running items may end within the grace time, the rest is
   * handed back. `insisted` ends the grace time at once.
   */
  async run(asked: AbortSignal, insisted: AbortSignal): Promise<void> {
    const drain = () => this.#drain(insisted);
    if (asked.aborted) drain();
    else asked.addEventListener('abort', drain, { once: true });

    const giveUp = new AbortController();
    const beating = this.#heartbeats.run(this.#stopped.signal);
    const reporting = this.#reporter.run(this.#workEnded.signal, giveUp.signal);
    await this.#requestWork();
    await this.#untilNothingRuns();
    this.#workEnded.abort();
    const farewell = setTimeout(
      () => giveUp.abort(new Error('the control plane did not answer in time')),
      FAREWELL_MS,
    );
    await reporting;
    clearTimeout(farewell);
    this.#stopped.abort();
    await beating;
    await this.#heartbeats.sayGoodbye();
    await this.#offers.close();
    this.#become('stopped');
  }

  #requestWork(): Promise<void> {
    return requestWork(
      {
        options: this.#options,
        told: (offer) => this.#told(offer),
        wanted: () => this.#wanted(),
        changed: async () => {
          // An offer that was withdrawn is looked at again when it is asked for, and so is a full disk.
          const pausing = this.#offers.current().length === 0 || !this.#journal.writable;
          await this.#moreWanted.wait(this.#draining.signal, pausing ? this.#heartbeats.pauseMs : undefined);
          await this.#journal.probe();
        },
        held: () => [...this.#slots.held].map(({ lease: { task_id, attempt } }) => ({ task_id, attempt })),
        onLeased: (tasks, sentAt) => {
          for (const task of tasks) this.#adopt(task, sentAt);
          this.#slots.pump();
        },
      },
      this.#draining.signal,
    );
  }

  /** What is asked for now; null while there is no room for more, or no right to it. */
  #wanted(): readonly Offer[] | null {
    // The first heartbeat comes before the first claim: it lets the control plane take back what expired.
    if (!this.#admitted || this.#recovered.size > 0 || !this.#journal.writable) return null;
    // What may be broken here is found out before more of it is taken.
    if (this.#slots.startable || this.#slots.quarantined) return null;
    // The same items would be leased, and run, again.
    if (this.#slots.owes) return null;
    const offers = this.#offers.current();
    return offers.length === 0 ? null : offers;
  }

  /** An offer with what is known of it here. */
  #told(offer: Offer): ToldOffer {
    const runtime = this.#offers.runtimeFor(offer);
    const loadSeconds = this.#loads.loadSeconds(runtime, offer);
    return {
      ...this.#paces.paced(offer),
      ...(this.#loads.isLoaded(runtime, offer) ? { loaded: true } : {}),
      ...(loadSeconds === null ? {} : { load_seconds: loadSeconds }),
    };
  }

  #adopt(lease: LeasedTask, sentAt: number): void {
    this.#options.log('task.leased', {
      task_id: lease.task_id,
      attempt: lease.attempt,
      items: lease.items.length,
      ...(lease.copy ? { copy: true } : {}),
    });
    const task = new HeldTask(lease, sentAt + lease.lease_seconds * 1000);
    void this.#journal.leased(lease);
    this.#heartbeats.renewWithin(lease.lease_seconds);
    this.#slots.add(task);
    if (this.#draining.signal.aborted) this.#slots.leave(task);
  }

  /** The control plane has answered for a task, or will never take it. */
  #settled(task: Reportable): void {
    if (task instanceof HeldTask) {
      this.#slots.settled(task);
      void this.#journal.settled(task.lease);
    } else if (this.#recovered.delete(task)) {
      void this.#journal.settled(task.lease);
      if (this.#recovered.size === 0) this.#heartbeats.ring();
    }
    this.#moreWanted.ring();
  }

  /**
   * What an earlier process of this worker finished is reported before anything is leased: its lease may have
   * run out, and the same task would be leased and run again. The rest of it is handed back.
   */
  #recover(deployment: string): void {
    for (const unsettled of this.#journal.open(deployment)) {
      const task = recovered(unsettled);
      this.#recovered.add(task);
      this.#reporter.add(task);
    }
  }

  #admit(admitted: boolean): void {
    this.#admitted = admitted;
    if (!admitted) return;
    if (this.#state === 'starting') this.#become('running');
    this.#moreWanted.ring();
  }

  #drain(insisted: AbortSignal): void {
    this.#become('draining');
    this.#draining.abort(new Error('draining'));
    this.#slots.leaveAll();
    const abortAll = () => this.#slots.abortAll();
    const grace = setTimeout(abortAll, this.#options.graceMs);
    this.#stopped.signal.addEventListener('abort', () => clearTimeout(grace), { once: true });
    if (insisted.aborted) abortAll();
    else insisted.addEventListener('abort', abortAll, { once: true });
  }

  async #untilNothingRuns(): Promise<void> {
    while (this.#slots.busy) await this.#moreWanted.wait(new AbortController().signal);
  }

  #become(state: AgentState): void {
    this.#state = state;
    this.#options.log(`worker.${state}`, { worker_id: this.#options.workerId });
  }
}
