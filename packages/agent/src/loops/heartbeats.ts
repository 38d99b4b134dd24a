import { ApiError } from '@macbatch/client';
import type { LeaseName } from '@macbatch/contract';
import { messageOf } from '@macbatch/core';
import type { AgentOptions } from '../agent/agent-options.ts';
import type { ModelLoads } from '../rates/model-loads.ts';
import type { Paces } from '../rates/paces.ts';
import type { OffersHere } from '../runtimes/offers-here.ts';
import type { HeldTask } from '../worker/held-task.ts';
import { nameOf } from './reporter.ts';
import { Bell } from './signal.ts';

/** A heartbeat whose reply takes longer than this never gets one: the connection is dead. */
const REPLY_MS = 30_000;

/** A first heartbeat that was not answered is tried again sooner than the next would come. */
const FIRST_BEAT_MS = 1000;

/** How long the goodbye may take. */
const GOODBYE_MS = 3000;

export interface HeartbeatsDeps {
  readonly options: AgentOptions;
  readonly offers: OffersHere;
  readonly paces: Paces;
  readonly loads: ModelLoads;
  readonly held: () => ReadonlySet<HeldTask>;
  /** The control plane knows this boot: `deployment` is the one that answers. */
  readonly onKnown: (deployment: string) => void;
  /** Nothing of an earlier boot of this worker waits to be reported any more. */
  readonly formerReported: () => boolean;
  /** May work, or may not: another machine works under this id. */
  readonly onAdmission: (admitted: boolean) => void;
  readonly onLost: (task: HeldTask, code: string) => void;
  /** Others have reported these items of a task. */
  readonly onItemsSettled: (task: HeldTask, itemIds: readonly string[]) => void;
  /** Called after each that was answered. */
  readonly onAnswered: () => void;
}

/** How long to wait from one heartbeat to the next, in milliseconds. */
export function pauseBefore(next: {
  readonly hurries: boolean;
  /** The last one was not answered: two in a row make a worker look dead. */
  readonly missed: boolean;
  readonly pauseMs: number;
}): number {
  if (next.hurries) return Math.min(FIRST_BEAT_MS, next.pauseMs);
  return next.missed ? next.pauseMs / 3 : next.pauseMs;
}

/** Tells the control plane what this worker is, and renews its leases. */
export class Heartbeats {
  readonly #deps: HeartbeatsDeps;
  readonly #beatNow = new Bell();
  #pauseMs: number;
  #known = false;
  #settled: boolean;
  #admitted = false;
  #refused: boolean = false;

  constructor(deps: HeartbeatsDeps) {
    this.#deps = deps;
    this.#pauseMs = deps.options.heartbeatMs;
    this.#settled = (deps.options.boots?.former.length ?? 0) === 0;
  }

  get pauseMs(): number {
    return this.#pauseMs;
  }

  /** Work waits for the next one; unless another machine has this id, which takes its time. */
  get #hurries(): boolean {
    if (this.#refused) return false;
    return !this.#known || (!this.#settled && this.#deps.formerReported());
  }

  /** The next one is sent now. */
  ring(): void {
    this.#beatNow.ring();
  }

  /** A lease of this length is held: it is renewed in time. */
  renewWithin(leaseSeconds: number): void {
    const pauseMs = Math.min(this.#deps.options.heartbeatMs, (leaseSeconds * 1000) / 3);
    // The pause that has begun may be longer than this lease.
    if (pauseMs < this.#pauseMs) this.ring();
    this.#pauseMs = pauseMs;
  }

  /** A loop of its own: a busy worker must not look dead. */
  async run(stopped: AbortSignal): Promise<void> {
    const { options } = this.#deps;
    while (!stopped.aborted) {
      const sentAt = options.now();
      let answered = false;
      try {
        await this.#beat(sentAt, stopped);
        answered = true;
      } catch (error) {
        if (stopped.aborted) return;
        this.#refused = error instanceof ApiError && error.code === 'worker_id_in_use';
        if (this.#refused) this.#admit(false);
        options.log('heartbeat.failed', { reason: messageOf(error) });
      }
      const pause = pauseBefore({
        hurries: this.#hurries,
        missed: !answered && !this.#refused,
        pauseMs: this.#pauseMs,
      });
      await this.#beatNow.wait(stopped, Math.max(0, pause - (options.now() - sentAt)));
    }
  }

  async sayGoodbye(): Promise<void> {
    const { client, log } = this.#deps.options;
    try {
      await client.call(
        'heartbeat',
        { body: { ...this.#advert(), offline: true } },
        { signal: AbortSignal.timeout(GOODBYE_MS) },
      );
    } catch (error) {
      log('heartbeat.failed', { reason: messageOf(error) });
    }
  }

  async #beat(sentAt: number, stopped: AbortSignal): Promise<void> {
    const { options, held, onKnown, formerReported, onLost, onItemsSettled, onAnswered } = this.#deps;
    const settling = this.#known && !this.#settled && formerReported();
    // By task and lease: an expired lease's last items may run beside a new lease of the same task.
    const tasks = new Map([...held()].filter(({ lost }) => !lost).map((task) => [nameOf(task.lease), task]));
    const reply = await options.client.call(
      'heartbeat',
      {
        body: {
          ...this.#advert(),
          ...(settling ? { return_former: true } : {}),
          ...suspectsOf([...tasks.values()]),
          renew: [...tasks.values()].map(({ lease: { task_id, attempt } }) => ({ task_id, attempt })),
        },
      },
      { signal: AbortSignal.any([stopped, AbortSignal.timeout(Math.max(REPLY_MS, this.#pauseMs))]) },
    );
    this.#refused = false;
    if (!this.#known) onKnown(reply.deployment_id);
    this.#known = true;
    if (settling) {
      this.#settled = true;
      await options.boots?.settled();
    }
    if (this.#settled) this.#admit(true);
    else if (formerReported()) this.ring();
    this.#trust(tasks, reply.lost, sentAt);
    for (const { task_id, attempt, code } of reply.lost) {
      const task = tasks.get(nameOf({ task_id, attempt }));
      // Its report may have been answered, or its rest handed back, while the heartbeat was under way.
      if (task === undefined || !held().has(task) || task.ended || task.lost) continue;
      onLost(task, code);
    }
    for (const { task_id, attempt, item_ids } of reply.settled) {
      const task = tasks.get(nameOf({ task_id, attempt }));
      if (task !== undefined && held().has(task) && !task.lost) onItemsSettled(task, item_ids);
    }
    onAnswered();
  }

  #trust(tasks: ReadonlyMap<string, HeldTask>, lost: readonly LeaseName[], sentAt: number): void {
    const gone = new Set(lost.map(nameOf));
    for (const [name, task] of tasks) {
      if (gone.has(name)) continue;
      task.trustedUntil = sentAt + task.lease.lease_seconds * 1000;
      task.doubted = false;
    }
  }

  #admit(admitted: boolean): void {
    if (admitted === this.#admitted) return;
    this.#admitted = admitted;
    this.#deps.onAdmission(admitted);
  }

  #advert() {
    const { options, paces, loads } = this.#deps;
    const offers = this.#deps.offers.current();
    return {
      worker_id: options.workerId,
      boot_id: options.bootId,
      ...(options.boots === undefined ? {} : { former_boot_ids: [...options.boots.former] }),
      hostname: options.hostname,
      job_types: [...new Set(offers.map((offer) => offer.job_type))],
      models: [...new Set(offers.map((offer) => offer.model))],
      concurrency: options.concurrency,
      lease_limit: options.leaseLimit ?? 0,
      rates: paces.known(offers).map((rate) => ({
        ...rate,
        ...(loads.isLoaded(this.#deps.offers.runtimeFor(rate), rate) ? { loaded: true } : {}),
      })),
    };
  }
}

/** Most suspects that one heartbeat names: more than any Mac runs at once. */
const MOST_SUSPECTS = 1000;

/** The items that run alone here; nothing where there are none. */
function suspectsOf(tasks: readonly HeldTask[]) {
  const suspects = tasks.flatMap(({ lease: { task_id, attempt }, suspected }) =>
    [...suspected].map((item_id) => ({ task_id, attempt, item_id })),
  );
  return suspects.length === 0 ? {} : { suspects: suspects.slice(0, MOST_SUSPECTS) };
}
