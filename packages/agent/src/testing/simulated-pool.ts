import type { LeasedTask, Outcome, ReportedError } from '@macbatch/contract';
import type { Effect } from '../worker/effect.ts';
import type { Happening } from '../worker/event.ts';
import type { FailedEnd, ItemEnd } from '../worker/item-end.ts';
import { step } from '../worker/step.ts';
import { wantedOffers } from '../worker/work-wanted.ts';
import { initialState, type WorkerSettings, type WorkerState } from '../worker/worker-state.ts';
import { answerTo, LEASE_MS, leaseOf, SETTINGS } from './worker-fixture.ts';

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
  /** Whether its list of models answers. */
  listsModels?(): boolean;
}

/** A task at the simulated control plane. */
interface SimulatedTask {
  readonly lease: LeasedTask;
  attempts: number;
  returns: number;
  readonly outcomes: Map<string, Outcome>;
  state: 'pending' | 'leased' | 'done' | 'failed';
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

const MAX_ATTEMPTS = 3;
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
  const runtimes = given.runtimes ?? SETTINGS.runtimes.map((runtime) => ({ ...runtime, remote: true }));
  const tasks = shape.map(
    (items, n): SimulatedTask => ({
      lease: leaseOf(`${n + 1}`, items),
      attempts: 0,
      returns: 0,
      outcomes: new Map(),
      state: 'pending',
    }),
  );
  const taskErrors: ReportedError[] = [];
  const calls = new Map<string, number>();
  const log: (Readonly<Record<string, unknown>> & { readonly event: string })[] = [];
  const starts: { itemId: string; at: number }[] = [];
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
        for (const entry of effect.entries) {
          const task = held(entry.task_id, entry.attempt);
          if (task === undefined) continue;
          for (const outcome of entry.outcomes) task.outcomes.set(outcome.item_id, outcome);
          if (task.outcomes.size === task.lease.items.length) task.state = 'done';
          else if (entry.error !== undefined) {
            taskErrors.push(entry.error);
            task.state = task.attempts - task.returns >= MAX_ATTEMPTS ? 'failed' : 'pending';
          }
        }
        for (const lease of effect.releases) {
          const task = held(lease.task_id, lease.attempt);
          if (task === undefined) continue;
          task.returns += 1;
          task.state = 'pending';
        }
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
        log.push({ event: effect.event, at: time.now, ...effect.fields });
        break;
      default:
        break;
    }
  }

  function held(taskId: string, attempt: number): SimulatedTask | undefined {
    return tasks.find(
      (task) => task.lease.task_id === taskId && task.attempts === attempt && task.state === 'leased',
    );
  }

  /** Grants one task, if the worker wants one and there is one. */
  function lease(): void {
    if (asking) return;
    asking = true;
    time.after(1, () => {
      asking = false;
      const task = tasks.find((each) => each.state === 'pending');
      const wanted = wantedOffers(state, time.now) ?? [];
      if (task === undefined || !wanted.some(({ job_type }) => job_type === task.lease.job_type)) return;
      task.state = 'leased';
      task.attempts += 1;
      const items = task.lease.items.filter(({ item_id }) => !task.outcomes.has(item_id));
      take({
        kind: 'leased',
        tasks: [{ ...task.lease, items, attempt: task.attempts, lease_seconds: LEASE_MS / 1000 }],
        sentAt: time.now,
      });
      lease();
    });
  }

  function beat(): void {
    take(answerTo(state, {}, time.now));
    lease();
    time.after(HEARTBEAT_MS, beat);
  }

  take(answerTo(state, {}, time.now));
  take({ kind: 'outbox_read', recovered: [] });
  beat();
  const isOver = () => tasks.every((task) => task.state === 'done' || task.state === 'failed');
  while (!isOver() && time.advance(untilMs));
  return {
    outcomes: new Map(tasks.flatMap((task) => [...task.outcomes])),
    taskErrors,
    calls,
    log,
    starts,
    endedAt: time.now,
    isOver: isOver(),
    charged: tasks.reduce((sum, task) => sum + task.attempts - task.returns, 0),
  };
}
