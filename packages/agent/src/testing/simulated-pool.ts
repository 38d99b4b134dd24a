import type { Outcome, ReportedError } from '@macbatch/contract';
import type { Effect } from '../worker/effect.ts';
import type { Happening } from '../worker/event.ts';
import type { FailedEnd, ItemEnd, NotHereEnd, WithdrawalReach } from '../worker/item-end.ts';
import { step } from '../worker/step.ts';
import { troublesOf } from '../worker/troubles.ts';
import { offeredNow, wantedOffers } from '../worker/work-wanted.ts';
import { initialState, type WorkerSettings, type WorkerState } from '../worker/worker-state.ts';
import { SimulatedControlPlane } from './simulated-control-plane.ts';
import { answerTo, SETTINGS } from './worker-fixture.ts';

/** One request to a simulated server. */
export interface SimulatedCall {
  readonly itemId: string;
  readonly at: number;
  /** Ends the request now. The first end counts. */
  end(end: ItemEnd): void;
}

/** A model server in simulated time. */
export interface SimulatedServer {
  /** Takes a request. It may end it later, with `after`. */
  call(call: SimulatedCall): void;
  /** How many requests it runs concurrently, if it says so. */
  readonly slots?: number;
  /** Whether its list of models answers. */
  listsModels?(): boolean;
}

export interface SimulatedRun {
  readonly outcomes: ReadonlyMap<string, Outcome>;
  /** Errors of tasks that failed here. */
  readonly taskErrors: readonly ReportedError[];
  /** Number of requests by item. */
  readonly calls: ReadonlyMap<string, number>;
  readonly log: readonly (Readonly<Record<string, unknown>> & { readonly event: string })[];
  readonly endedAt: number;
  /** Every task has ended. */
  readonly isOver: boolean;
  /** When each item started, in order. */
  readonly starts: readonly { readonly itemId: string; readonly at: number }[];
  /** Leases that were charged to a task. */
  readonly charged: number;
}

const HEARTBEAT_MS = 10_000;

/** Time that passes only from one event to the next. */
export class SimulatedTime {
  #now = 0;
  #waiting: { readonly at: number; readonly run: () => void }[] = [];

  get now(): number {
    return this.#now;
  }

  after(ms: number, run: () => void): void {
    this.#waiting.push({ at: this.#now + Math.max(0, ms), run });
  }

  /** Runs the next event. Returns false if no event is due before `until`. */
  advance(until: number): boolean {
    const [next] = this.#waiting.toSorted((one, other) => one.at - other.at);
    if (next === undefined || next.at > until) return false;
    this.#waiting = this.#waiting.filter((each) => each !== next);
    this.#now = Math.max(this.#now, next.at);
    next.run();
    return true;
  }
}

/** Answers an item with an output. */
export const answered = (itemId: string): ItemEnd => ({
  kind: 'outcome',
  outcome: { item_id: itemId, output: '1' },
});

/** Fails an item. */
export const failing = (
  failure: FailedEnd['failure'],
  code: string,
  more: Partial<FailedEnd> = {},
): ItemEnd => ({
  kind: 'failed',
  failure,
  error: { code, message: `the server says ${code}` },
  retryAfterMs: null,
  bytesArrived: false,
  jitter: 0.5,
  ...more,
});

/** Refuses an item with a reply that may be about what the item contains. */
export const refusing = (
  code: string,
  reach: WithdrawalReach,
  more: Partial<NotHereEnd> = {},
): NotHereEnd => ({
  kind: 'not_here',
  error: { code, message: `the server says ${code}` },
  withdraws: { reach, until: 'probe' },
  mayBeOfItem: true,
  ...more,
});

/** What the workers of a pool did, as they do it. */
interface Watched {
  readonly calls: Map<string, number>;
  readonly log: (Readonly<Record<string, unknown>> & { readonly event: string })[];
  readonly starts: { readonly itemId: string; readonly at: number }[];
}

/**
 * Runs tasks of `shape` items each on one worker with one server, in simulated time, until every item has ended or
 * `untilMs` is over. The control plane answers immediately.
 */
export function simulate(
  time: SimulatedTime,
  server: SimulatedServer,
  shape: readonly number[],
  given: Partial<WorkerSettings> = {},
  untilMs = 3_600_000,
): SimulatedRun {
  return simulatePool(time, [server], shape, given, untilMs);
}

/** The same on one worker for each server. */
export function simulatePool(
  time: SimulatedTime,
  servers: readonly SimulatedServer[],
  shape: readonly number[],
  given: Partial<WorkerSettings> = {},
  untilMs = 3_600_000,
  control = new SimulatedControlPlane(shape),
): SimulatedRun {
  const watched: Watched = { calls: new Map(), log: [], starts: [] };
  for (const [n, server] of servers.entries())
    startWorker(`worker-${n}`, time, server, control, given, watched);
  while (!control.isOver && time.advance(untilMs));
  const { outcomes, taskErrors, charged, isOver } = control;
  return { outcomes, taskErrors, charged, isOver, ...watched, endedAt: time.now };
}

function startWorker(
  name: string,
  time: SimulatedTime,
  server: SimulatedServer,
  control: SimulatedControlPlane,
  given: Partial<WorkerSettings>,
  { calls, log, starts }: Watched,
): void {
  const runtimes = given.runtimes ?? SETTINGS.runtimes.map((runtime) => ({ ...runtime, remote: true }));
  let state: WorkerState = initialState({ ...SETTINGS, slots: 8, ...given, runtimes });
  let asking = false;

  const take = (happening: Happening): void => {
    const taken = step(state, { ...happening, now: time.now });
    state = taken.state;
    for (const effect of taken.effects) perform(effect);
  };
  const soon = (happening: () => Happening) => time.after(0, () => take(happening()));

  function perform(effect: Effect): void {
    switch (effect.kind) {
      case 'start_item': {
        const itemId = effect.item.item_id;
        calls.set(itemId, (calls.get(itemId) ?? 0) + 1);
        starts.push({ itemId, at: time.now });
        let open = true;
        const end = (ended: ItemEnd) => {
          if (!open) return;
          open = false;
          soon(() => ({ kind: 'item_ended', run: effect.run, end: ended }));
        };
        if (effect.runtime === null)
          end({ kind: 'not_here', error: { code: 'not_offered', message: 'not offered now' } });
        else server.call({ itemId, at: time.now, end });
        break;
      }
      case 'save_outcome':
        soon(() => ({ kind: 'outcome_saved', run: effect.run }));
        break;
      case 'report_at':
        time.after(effect.at - time.now, () => take({ kind: 'report_due' }));
        break;
      case 'send_report':
        control.report(name, effect.entries);
        control.release(name, effect.releases);
        soon(() => ({ kind: 'report_answered', replies: new Map() }));
        lease();
        break;
      case 'wake_at':
        time.after(effect.at - time.now + 1, () => {
          if (state.wakeAt === effect.at) take({ kind: 'time_passed' });
        });
        break;
      case 'probe_offers': {
        const works = server.listsModels?.() ?? true;
        soon(() => ({
          kind: 'offers_probed',
          runtime: effect.runtime,
          results: effect.offers.map((offer) => ({ ...offer, works })),
        }));
        break;
      }
      case 'ask_slots': {
        const { runtime, model } = effect;
        const { slots } = server;
        if (slots !== undefined) soon(() => ({ kind: 'slots_known', runtime, model, slots, isLimit: true }));
        break;
      }
      case 'test_server': {
        const { runtime, model, test } = effect;
        let open = true;
        const end = (ended: ItemEnd) => {
          if (!open) return;
          open = false;
          soon(() => ({ kind: 'server_tested', runtime, model, test, works: ended.kind === 'outcome' }));
        };
        server.call({ itemId: 'test', at: time.now, end });
        break;
      }
      case 'ask_for_work':
        lease();
        break;
      case 'log':
        log.push({ event: effect.event, at: time.now, worker: name, ...effect.fields });
        break;
      default:
        break;
    }
  }

  /** Grants one task, if the worker wants one and there is one. */
  function lease(): void {
    if (asking) return;
    asking = true;
    time.after(1, () => {
      asking = false;
      const task = control.lease(name, wantedOffers(state, time.now) ?? []);
      if (task === null) return;
      take({ kind: 'leased', tasks: [task], sentAt: time.now });
      lease();
    });
  }

  function beat(): void {
    take(answerTo(state, {}, time.now));
    lease();
    time.after(HEARTBEAT_MS, beat);
  }

  control.connect(name, {
    offers: () => [...offeredNow(state, time.now), ...troublesOf(state, time.now)],
    wake: lease,
  });
  take(answerTo(state, {}, time.now));
  take({ kind: 'outbox_read', recovered: [] });
  beat();
}
