import type { LeasedTask } from '@macbatch/contract';
import type { AgentOptions, AgentState } from './agent-options.ts';
import { Backoff } from './backoff.ts';
import { Bell } from './bell.ts';
import { HeldTask, type LeasedItem } from './held-task.ts';
import { type ItemEnd, runItem } from './item-run.ts';
import { Journal } from './journal.ts';
import { RateMeter } from './rate-meter.ts';
import { type Reportable, recovered } from './reportable.ts';
import { message, nameOf, Reporter } from './reporter.ts';
import type { Offer, Runtime } from './runtime.ts';
import { OfferWithdrawals } from './runtimes/offer-withdrawals.ts';
import { type Router, router } from './runtimes/open-runtimes.ts';

/** How long the control plane may hold a request for work open. */
const WAIT_SECONDS = 25;

/** A reply that takes longer than this beyond what was asked for never comes: the connection is dead. */
const REPLY_MS = 30_000;

/**
 * How long the last reports, and then the goodbye, may take once everything has ended: with the default
 * grace time still within the 20 s after which launchd kills.
 */
const FAREWELL_MS = 3000;

/** No control plane believes more. */
const MOST_ITEMS_PER_SECOND = 100_000;

/** How long an outcome waits for others before it is reported. */
const REPORT_MS = 10_000;

/** A first heartbeat that was not answered is tried again sooner than the next would come. */
const FIRST_BEAT_MS = 1000;

/**
 * A worker: leases tasks, runs their items on its runtimes, reports. Its slots are fed from all the tasks it
 * holds, and it asks for more when nothing is left to start.
 */
export class Agent {
  readonly #options: AgentOptions;
  readonly #router: Router;
  readonly #withdrawals = new OfferWithdrawals();
  readonly #reporter: Reporter;
  readonly #journal: Journal;
  readonly #held = new Set<HeldTask>();
  /** What an earlier process finished and the control plane has not answered for yet. */
  readonly #recovered = new Set<Reportable>();
  readonly #moreWanted = new Bell();
  readonly #beatNow = new Bell();
  readonly #draining = new AbortController();
  readonly #workEnded = new AbortController();
  readonly #stopped = new AbortController();
  readonly #successes = new Map<Runtime, number>();
  readonly #rates: RateMeter;
  #running = 0;
  #heartbeatMs: number;
  #state: AgentState = 'starting';

  constructor(options: AgentOptions) {
    this.#options = options;
    this.#router = router(options.runtimes);
    this.#rates = new RateMeter(options.now, options.concurrency);
    this.#heartbeatMs = options.heartbeatMs;
    this.#journal = new Journal(options.outbox ?? null, options.log);
    this.#reporter = new Reporter({
      client: options.client,
      workerId: options.workerId,
      log: options.log,
      random: options.random,
      sleep: options.sleep,
      now: options.now,
      reportMs: options.reportMs ?? REPORT_MS,
      onUnwanted: (task, code) => this.#drop(task, code),
      onSettled: (task) => {
        void this.#journal.settled(task.lease);
        if (task instanceof HeldTask) this.#held.delete(task);
        this.#recovered.delete(task);
        this.#moreWanted.ring();
      },
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
    const beating = this.#beatLoop();
    const reporting = this.#reporter.run(this.#workEnded.signal, giveUp.signal);
    await this.#leaseLoop();
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
    await this.#sayGoodbye();
    await this.#router.close();
    this.#become('stopped');
  }

  async #leaseLoop(): Promise<void> {
    const backoff = new Backoff(this.#options.random, this.#options.sleep);
    const draining = this.#draining.signal;
    while (!draining.aborted) {
      const offers = this.#offers();
      // The first heartbeat comes before the first claim: it lets the control plane take back what expired.
      const pause = offers.length === 0 || !this.#journal.writable;
      if (this.#state === 'starting' || this.#recovered.size > 0 || this.#startable() || pause) {
        // An offer that was withdrawn is looked at again when it is asked for.
        await this.#moreWanted.wait(draining, pause ? this.#heartbeatMs : undefined);
        await this.#journal.probe();
        continue;
      }
      const sentAt = this.#options.now();
      try {
        const timeout = AbortSignal.timeout(WAIT_SECONDS * 1000 + REPLY_MS);
        const { tasks } = await this.#options.client.call(
          'leaseTasks',
          {
            body: {
              worker_id: this.#options.workerId,
              boot_id: this.#options.bootId,
              ...(this.#options.leaseLimit === null ? {} : { lease_limit: this.#options.leaseLimit }),
              slots: this.#options.concurrency,
              offers: offers.map((offer) => {
                const pace = this.#paceOf(offer);
                return pace === null ? offer : { ...offer, items_per_second: pace };
              }),
              renews: true,
              // Something may still be running: then its end must not wait for this reply.
              wait_seconds: WAIT_SECONDS,
            },
          },
          { signal: AbortSignal.any([draining, timeout]) },
        );
        backoff.succeeded();
        for (const task of tasks) this.#adopt(task, sentAt);
        this.#pump();
      } catch (error) {
        if (draining.aborted) return;
        this.#options.log('lease.failed', { reason: message(error) });
        await backoff.wait(draining);
      }
    }
  }

  #adopt(lease: LeasedTask, sentAt: number): void {
    this.#options.log('task.leased', {
      task_id: lease.task_id,
      attempt: lease.attempt,
      items: lease.items.length,
    });
    const task = new HeldTask(lease, sentAt + lease.lease_seconds * 1000);
    this.#held.add(task);
    void this.#journal.leased(lease, lease.items.length);
    const heartbeatMs = Math.min(this.#options.heartbeatMs, (lease.lease_seconds * 1000) / 3);
    // The pause that has begun may be longer than this lease.
    if (heartbeatMs < this.#heartbeatMs) this.#beatNow.ring();
    this.#heartbeatMs = heartbeatMs;
    if (task.ended) this.#reporter.add(task);
    if (this.#draining.signal.aborted) this.#leave(task);
  }

  #startable(): boolean {
    return [...this.#held].some((task) => task.startable);
  }

  /** What this worker asks for: what has turned out not to run here is left alone for a while. */
  #offers(): readonly Offer[] {
    for (const { offer } of this.#withdrawals.due(this.#options.now())) this.#withdrawals.restore(offer);
    return this.#router.offers().filter((offer) => !this.#withdrawals.isWithdrawn(offer));
  }

  /** Fills the free slots from all the tasks held, oldest first. */
  #pump(): void {
    for (const task of this.#held) {
      while (this.#running < this.#options.concurrency && task.startable) {
        if (this.#doubted(task)) break;
        const started = task.start();
        if (started !== null) void this.#runOne(task, started.item, started.abort);
      }
    }
    if (this.#startable()) return;
    this.#moreWanted.ring();
    this.#reporter.flush();
  }

  /**
   * Whether the lease may have run out: this machine slept, or the task came at the end of a long wait. Then
   * nothing of it starts before a heartbeat has told.
   */
  #doubted(task: HeldTask): boolean {
    if (this.#options.now() <= task.trustedUntil) return false;
    if (!task.doubted) {
      this.#options.log('lease.doubted', { task_id: task.lease.task_id, attempt: task.lease.attempt });
      this.#beatNow.ring();
    }
    task.doubted = true;
    return true;
  }

  async #runOne(task: HeldTask, item: LeasedItem, abort: AbortController): Promise<void> {
    this.#running += 1;
    const kind = kindOf(task.lease);
    this.#rates.started(kind);
    const end = await this.#runItem(task.lease, item, abort.signal);
    this.#rates.ended(kind, end.kind === 'outcome');
    // W6: on the disk before anything is said of it.
    if (end.kind === 'outcome') await this.#journal.finished(task.lease, end.outcome);
    this.#running -= 1;
    task.stopped(abort);
    this.#note(task, end);
    if (task.ended) this.#reporter.add(task);
    else if (end.kind === 'outcome') this.#reporter.note(task);
    this.#pump();
  }

  async #runItem(lease: LeasedTask, item: LeasedItem, signal: AbortSignal): Promise<ItemEnd> {
    const { job_type, model } = lease;
    const runtime = this.#router.runtimeFor({ job_type, model });
    if (runtime === undefined) {
      return {
        kind: 'not_here',
        error: { code: 'not_offered', message: `${job_type} with ${model} is not offered now` },
      };
    }
    let parsed: { params: Record<string, unknown>; payload: unknown };
    try {
      parsed = { params: JSON.parse(lease.params), payload: JSON.parse(item.payload) };
    } catch (error) {
      // The control plane has parsed both; it must be one that knows other rules.
      const unreadable = { code: 'invalid_payload', message: `not readable here: ${message(error)}` };
      return { kind: 'outcome', outcome: { item_id: item.item_id, error: unreadable } };
    }
    return runItem(
      runtime,
      item.item_id,
      { job_type, model, ...parsed, signal },
      {
        sleep: this.#options.sleep,
        successes: () => this.#successes.get(runtime) ?? 0,
        onSuccess: () => this.#successes.set(runtime, (this.#successes.get(runtime) ?? 0) + 1),
      },
    );
  }

  #note(task: HeldTask, end: ItemEnd): void {
    switch (end.kind) {
      case 'outcome':
        task.outcomes.push(end.outcome);
        if ('output' in end.outcome) this.#withdrawals.succeeded(offerOf(task.lease));
        break;
      case 'failed':
        task.failed(end.error);
        break;
      case 'not_here':
        this.#options.log('task.not_here', { task_id: task.lease.task_id, code: end.error.code });
        this.#withdrawals.withdraw(offerOf(task.lease), end.error.code, this.#options.now());
        task.handBack = true;
        task.startNoMore();
        break;
      case 'aborted':
        task.handBack = true;
        break;
    }
  }

  /** Starts nothing more of a task; what runs may end. */
  #leave(task: HeldTask): void {
    if (!task.startable) return;
    task.handBack = true;
    task.startNoMore();
    if (task.ended) this.#reporter.add(task);
  }

  /** The heartbeat has a loop of its own: a busy worker must not look dead. */
  async #beatLoop(): Promise<void> {
    while (!this.#stopped.signal.aborted) {
      const sentAt = this.#options.now();
      try {
        await this.#beat(sentAt);
        if (this.#state === 'starting') {
          this.#become('running');
          this.#moreWanted.ring();
        }
      } catch (error) {
        if (this.#stopped.signal.aborted) return;
        this.#options.log('heartbeat.failed', { reason: message(error) });
      }
      const pause =
        this.#state === 'starting' ? Math.min(FIRST_BEAT_MS, this.#heartbeatMs) : this.#heartbeatMs;
      const elapsed = this.#options.now() - sentAt;
      await this.#beatNow.wait(this.#stopped.signal, Math.max(0, pause - elapsed));
    }
  }

  async #beat(sentAt: number): Promise<void> {
    // By task and lease: an expired lease's last items may run beside a new lease of the same task.
    const tasks = new Map(
      [...this.#held].filter((task) => !task.lost).map((task) => [nameOf(task.lease), task]),
    );
    const { lost, deployment_id } = await this.#options.client.call(
      'heartbeat',
      {
        body: {
          ...this.#advert(),
          renew: [...tasks.values()].map(({ lease: { task_id, attempt } }) => ({ task_id, attempt })),
        },
      },
      {
        signal: AbortSignal.any([
          this.#stopped.signal,
          AbortSignal.timeout(Math.max(REPLY_MS, this.#heartbeatMs)),
        ]),
      },
    );
    if (this.#state === 'starting') this.#recover(deployment_id);
    const gone = new Set(lost.map(nameOf));
    for (const [name, task] of tasks) {
      if (gone.has(name)) continue;
      task.trustedUntil = sentAt + task.lease.lease_seconds * 1000;
      task.doubted = false;
    }
    for (const { task_id, attempt, code } of lost) {
      const task = tasks.get(nameOf({ task_id, attempt }));
      // Its report may have been answered while the heartbeat was under way.
      if (task === undefined || !this.#held.has(task) || task.ended) continue;
      this.#drop(task, code);
    }
    this.#pump();
  }

  /** The control plane wants nothing more of this task. */
  #drop(task: HeldTask, code: string): void {
    const { task_id, attempt } = task.lease;
    this.#options.log('lease.lost', { task_id, attempt, code });
    task.lost = true;
    this.#leave(task);
    task.abortRunning();
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

  /** Items a second; null while that is not known. */
  #paceOf(offer: Offer): number | null {
    const pace = this.#rates.itemsPerSecond(kindOf(offer));
    return pace === null ? null : Math.min(pace, MOST_ITEMS_PER_SECOND);
  }

  #advert() {
    const offers = this.#offers();
    return {
      worker_id: this.#options.workerId,
      boot_id: this.#options.bootId,
      hostname: this.#options.hostname,
      job_types: [...new Set(offers.map((offer) => offer.job_type))],
      models: [...new Set(offers.map((offer) => offer.model))],
      concurrency: this.#options.concurrency,
      lease_limit: this.#options.leaseLimit ?? 0,
      rates: offers.flatMap((offer) => {
        const pace = this.#paceOf(offer);
        return pace === null ? [] : [{ ...offer, items_per_second: pace }];
      }),
    };
  }

  #drain(insisted: AbortSignal): void {
    this.#become('draining');
    this.#draining.abort(new Error('draining'));
    for (const task of this.#held) this.#leave(task);
    const abortAll = () => {
      for (const task of this.#held) task.abortRunning();
    };
    const grace = setTimeout(abortAll, this.#options.graceMs);
    this.#stopped.signal.addEventListener('abort', () => clearTimeout(grace), { once: true });
    if (insisted.aborted) abortAll();
    else insisted.addEventListener('abort', abortAll, { once: true });
  }

  async #untilNothingRuns(): Promise<void> {
    while (this.#running > 0) await this.#moreWanted.wait(new AbortController().signal);
  }

  async #sayGoodbye(): Promise<void> {
    try {
      await this.#options.client.call(
        'heartbeat',
        { body: { ...this.#advert(), offline: true } },
        { signal: AbortSignal.timeout(FAREWELL_MS) },
      );
    } catch (error) {
      this.#options.log('heartbeat.failed', { reason: message(error) });
    }
  }

  #become(state: AgentState): void {
    this.#state = state;
    this.#options.log(`worker.${state}`, { worker_id: this.#options.workerId });
  }
}

function kindOf({ job_type, model }: Offer): string {
  return JSON.stringify([job_type, model]);
}

function offerOf({ job_type, model }: LeasedTask): Offer {
  return { job_type, model };
}
