import { once } from 'node:events';
import { REPORT_SECONDS } from '@macbatch/core';
import { DiscoveryLoop } from '../loops/discovery-loop.ts';
import { HeartbeatLoop } from '../loops/heartbeat-loop.ts';
import { Recovery } from '../loops/recovery.ts';
import { ReportLoop } from '../loops/report-loop.ts';
import { WorkLoop } from '../loops/work-loop.ts';
import { WorkerMachine } from '../loops/worker-machine.ts';
import { Journal } from '../outbox/journal.ts';
import { WorkMeters } from '../rates/work-meters.ts';
import { ItemRunner } from '../running/item-runner.ts';
import { probeOffers } from '../runtimes/probe-offers.ts';
import type { Effect } from '../worker/effect.ts';
import type { OwnPause } from '../worker/own-pause.ts';
import { PAUSES } from '../worker/pauses.ts';
import type { WorkerLife } from '../worker/worker-state.ts';
import type { AgentOptions } from './agent-options.ts';

/**
 * How long the last reports, and then the last heartbeat, may take after all items have ended. With the
 * default grace time this stays within the 20 s after which launchd kills.
 */
const FAREWELL_MS = 3000;

/** Longest time of a timer of Node.js. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** A worker: leases tasks, runs their items on its runtimes and reports. `worker/step.ts` decides, the loops act. */
export class Agent {
  readonly #options: AgentOptions;
  readonly #machine: WorkerMachine;
  readonly #journal: Journal;
  readonly #runner: ItemRunner;
  readonly #heartbeats: HeartbeatLoop;
  readonly #reports: ReportLoop;
  readonly #work: WorkLoop;
  readonly #discovery: DiscoveryLoop;
  readonly #draining = new AbortController();
  /** Aborts when nothing runs any more after a drain. */
  readonly #idle = new AbortController();
  readonly #stopped = new AbortController();
  #alarm: NodeJS.Timeout | undefined;

  constructor(given: AgentOptions) {
    const options = given.gentle === true ? { ...given, concurrency: half(given.concurrency) } : given;
    const { runtimes, boots, concurrency, now, log } = options;
    this.#options = options;
    const machine = new WorkerMachine(
      {
        workerId: options.workerId,
        slots: concurrency,
        heartbeatMs: options.heartbeatMs,
        reportMs: options.reportMs ?? REPORT_SECONDS * 1000,
        runtimes: runtimes.map(({ name, offers, remote }) => ({ name, offers, remote: remote === true })),
        pauses: options.pauses ?? PAUSES,
        afterCrash: options.running?.afterCrash === true,
        crashedItems: (options.running?.crashed ?? []).map(({ task_id, item_id, crashes_alone }) => ({
          name: `${task_id}/${item_id}`,
          crashesAlone: crashes_alone,
        })),
        hasFormerBoots: (boots?.former.length ?? 0) > 0,
      },
      now,
      (effect) => this.#perform(effect),
    );
    const meters = new WorkMeters(runtimes, now, concurrency);
    this.#machine = machine;
    this.#journal = new Journal(options.outbox ?? null, log, (writable) =>
      machine.dispatch({ kind: 'outbox_writable', writable }),
    );
    this.#runner = new ItemRunner({
      runtimes,
      meters,
      random: options.random,
      dispatch: (happening) => {
        if (happening.kind === 'item_ended') options.running?.ended(happening.run);
        machine.dispatch(happening);
      },
    });
    const recovery = new Recovery();
    this.#heartbeats = new HeartbeatLoop({ options, machine, meters, recovery });
    this.#reports = new ReportLoop({ options, machine, recovery });
    this.#discovery = new DiscoveryLoop({ options, machine, meters });
    this.#work = new WorkLoop({ options, machine, meters, recovery, journal: this.#journal });
  }

  get state(): WorkerLife {
    return this.#machine.state.life;
  }

  /** Whether it holds tasks. */
  get isBusy(): boolean {
    return this.#machine.state.tasks.length > 0;
  }

  /** Sends the next heartbeat now: after a sleep, nobody knows which leases still hold. */
  sendHeartbeat(): void {
    this.#heartbeats.wake();
  }

  /** Pauses, with the reason for people, or goes on. */
  setPause(pause: OwnPause | null): void {
    this.#machine.dispatch({ kind: 'own_pause', pause });
  }

  /**
   * Works until `asked` aborts, then drains: running items may end within the grace time, the rest is handed
   * back. `forceQuit` ends the grace time immediately.
   */
  async run(asked: AbortSignal, forceQuit: AbortSignal): Promise<void> {
    const drain = () => this.#drain(forceQuit);
    if (asked.aborted) drain();
    else asked.addEventListener('abort', drain, { once: true });

    const finished = new AbortController();
    const giveUp = new AbortController();
    const discovering = this.#discovery.run(this.#draining.signal);
    // The first heartbeat should say what this worker can run.
    await this.#discovery.firstLook(this.#draining.signal);
    const beating = this.#heartbeats.run(this.#stopped.signal);
    const reporting = this.#reports.run(finished.signal, giveUp.signal);
    await this.#work.run(this.#draining.signal);
    if (!this.#idle.signal.aborted) await once(this.#idle.signal, 'abort');
    finished.abort();
    const farewell = setTimeout(
      () => giveUp.abort(new Error('the control plane did not answer in time')),
      FAREWELL_MS,
    );
    await reporting;
    clearTimeout(farewell);
    clearTimeout(this.#alarm);
    this.#stopped.abort();
    await Promise.all([beating, discovering]);
    await this.#heartbeats.sayGoodbye();
    await Promise.all(this.#options.runtimes.map((runtime) => runtime.close()));
    this.#machine.dispatch({ kind: 'stopped' });
  }

  #drain(forceQuit: AbortSignal): void {
    const machine = this.#machine;
    machine.dispatch({ kind: 'drain' });
    this.#draining.abort(new Error('draining'));
    const grace = setTimeout(() => machine.dispatch({ kind: 'grace_over' }), this.#options.graceMs);
    this.#stopped.signal.addEventListener('abort', () => clearTimeout(grace), { once: true });
    const quit = () => machine.dispatch({ kind: 'force_quit' });
    if (forceQuit.aborted) quit();
    else forceQuit.addEventListener('abort', quit, { once: true });
  }

  /** Carries out an effect, or has a loop do it. */
  #perform(effect: Effect): void {
    switch (effect.kind) {
      case 'start_item':
        this.#options.running?.started(effect.run, {
          task_id: effect.lease.task_id,
          item_id: effect.item.item_id,
          alone: effect.alone,
        });
        this.#runner.start(effect);
        break;
      case 'abort_item':
        this.#runner.abort(effect.run, effect.reason);
        break;
      case 'save_outcome':
        void this.#save(effect);
        break;
      case 'save_lease':
        void this.#journal.leased(effect.lease);
        break;
      case 'forget_lease':
        void this.#journal.acknowledged(effect.lease);
        break;
      case 'read_outbox':
        this.#machine.dispatch({
          kind: 'outbox_read',
          recovered: this.#journal.open(effect.deployment),
        });
        break;
      case 'send_report':
        this.#reports.send(effect);
        break;
      case 'report_at':
        this.#reports.wake();
        break;
      case 'send_heartbeat':
        this.#heartbeats.wake();
        break;
      case 'wake_at':
        this.#wakeAt(effect.at);
        break;
      case 'ask_for_work':
        this.#work.wake();
        break;
      case 'stop_asking':
        this.#work.stopAsking();
        break;
      case 'probe_offers':
        void this.#probe(effect);
        break;
      case 'test_server':
        void this.#test(effect);
        break;
      case 'ask_slots':
        void this.#askSlots(effect);
        break;
      case 'work_ended':
        this.#idle.abort();
        break;
      case 'log':
        this.#options.log(effect.event, effect.fields);
        break;
    }
  }

  /** Dispatches `time_passed` at this time. */
  #wakeAt(at: number): void {
    clearTimeout(this.#alarm);
    // A timer may fire a little early by the wall clock.
    const ms = Math.min(Math.max(0, at - this.#options.now()) + 1, MAX_TIMER_MS);
    this.#alarm = setTimeout(() => this.#machine.dispatch({ kind: 'time_passed' }), ms);
  }

  async #save({ run, lease, outcome }: Extract<Effect, { readonly kind: 'save_outcome' }>): Promise<void> {
    await this.#journal.finished(lease, outcome);
    await this.#options.running?.forget(lease.task_id, outcome.item_id);
    this.#machine.dispatch({ kind: 'outcome_saved', run });
  }

  async #test({ runtime, model, test }: Extract<Effect, { readonly kind: 'test_server' }>): Promise<void> {
    const works = await this.#options.runtimes[runtime]?.answers?.(model).catch(() => false);
    this.#machine.dispatch({ kind: 'server_tested', runtime, model, test, works: works === true });
  }

  async #askSlots({ runtime, model }: Extract<Effect, { readonly kind: 'ask_slots' }>): Promise<void> {
    const slots = await this.#options.runtimes[runtime]?.slots?.().catch(() => null);
    if (slots == null) return;
    const { count, isLimit } = slots;
    this.#machine.dispatch({
      kind: 'slots_known',
      runtime,
      model,
      slots: this.#options.gentle === true ? half(count) : count,
      isLimit,
    });
  }

  async #probe({ runtime, offers }: Extract<Effect, { readonly kind: 'probe_offers' }>): Promise<void> {
    const results = await probeOffers(this.#options.runtimes[runtime], offers);
    this.#machine.dispatch({ kind: 'offers_probed', runtime, results });
  }
}

/** Half of a number of items, and at least one. */
function half(items: number): number {
  return Math.max(1, Math.floor(items / 2));
}
