import type { LeasedTask } from '@macbatch/contract';
import type { Step } from '../worker/change.ts';
import type { Happening } from '../worker/event.ts';
import { planHeartbeat } from '../worker/heartbeat-plan.ts';
import type { HeldTask } from '../worker/held-task.ts';
import type { FailedEnd } from '../worker/item-end.ts';
import { PAUSES } from '../worker/pauses.ts';
import { step } from '../worker/step.ts';
import { initialState, type WorkerSettings, type WorkerState } from '../worker/worker-state.ts';

/** The default time of events in a test. */
export const T0 = 1_000_000;
export const LEASE_MS = 90_000;
const HEARTBEAT_MS = 30_000;
const REPORT_MS = 10_000;

/** A worker with two slots and one runtime that chats and embeds. */
export const SETTINGS: WorkerSettings = {
  workerId: 'ann',
  slots: 2,
  heartbeatMs: HEARTBEAT_MS,
  reportMs: REPORT_MS,
  runtimes: [
    {
      name: 'server',
      offers: [
        { job_type: 'chat', model: 'm' },
        { job_type: 'embed', model: 'm' },
      ],
      remote: false,
    },
  ],
  pauses: PAUSES,
  afterCrash: false,
  crashedItems: [],
  hasFormerBoots: false,
};

/** A chat task with items `a`, `b`, … */
export function leaseOf(taskId: string, items: number, more: Partial<LeasedTask> = {}): LeasedTask {
  return {
    task_id: taskId,
    job_id: '0198c0de-0000-7000-8000-000000000000',
    attempt: 1,
    lease_seconds: LEASE_MS / 1000,
    job_type: 'chat',
    model: 'm',
    params: '{}',
    copy: false,
    items: Array.from({ length: items }, (_, n) => ({
      item_id: `${taskId}${String.fromCharCode(97 + n)}`,
      payload: `{"n":${n}}`,
    })),
    ...more,
  };
}

/** Steps that a test makes one after the other. */
export interface Machine {
  readonly state: WorkerState;
  /** Makes one step; the event happens at `now`, at T0 if none is given. */
  take(happening: Happening, now?: number): Step;
  /** The number of the run of an item that has not ended. */
  runOf(itemId: string): number;
  /** The held task, by its task id. */
  task(taskId: string): HeldTask;
}

export function machine(settings: Partial<WorkerSettings> = {}): Machine {
  return from(initialState({ ...SETTINGS, ...settings }));
}

/** Goes on from a state. */
export function from(start: WorkerState): Machine {
  let state = start;
  return {
    get state() {
      return state;
    },
    take(happening, now = T0) {
      const taken = step(state, { ...happening, now });
      state = taken.state;
      return taken;
    },
    runOf(itemId) {
      const run = state.runs.find(({ item }) => item.item_id === itemId);
      if (run === undefined) throw new Error(`item ${itemId} does not run`);
      return run.number;
    },
    task(taskId) {
      const task = state.tasks.find(({ lease }) => lease.task_id === taskId);
      if (task === undefined) throw new Error(`task ${taskId} is not held`);
      return task;
    },
  };
}

type Reply = Extract<Happening, { readonly kind: 'heartbeat_answered' }>['reply'];

/** The answer to the heartbeat that the worker would send now. */
export function answerTo(state: WorkerState, reply: Partial<Reply> = {}, sentAt = T0): Happening {
  return {
    kind: 'heartbeat_answered',
    plan: planHeartbeat(state),
    sentAt,
    reply: { deployment_id: 'here', lost: [], settled: [], ...reply },
  };
}

/** A worker that was admitted and has an empty outbox. */
export function admitted(settings: Partial<WorkerSettings> = {}): Machine {
  const worker = machine(settings);
  worker.take(answerTo(worker.state));
  worker.take({ kind: 'outbox_read', recovered: [] });
  return worker;
}

/** Leases tasks in one call. */
export const leased = (...tasks: readonly LeasedTask[]): Happening => ({ kind: 'leased', tasks, sentAt: T0 });
export const succeeded = (run: number, itemId: string): Happening => ({
  kind: 'item_ended',
  run,
  end: { kind: 'outcome', outcome: { item_id: itemId, output: '1' } },
});
export const failed = (run: number, message = 'it broke', more: Partial<FailedEnd> = {}): Happening => ({
  kind: 'item_ended',
  run,
  end: {
    kind: 'failed',
    failure: 'transient',
    error: { code: 'server_error', message },
    retryAfterMs: null,
    bytesArrived: false,
    jitter: 0.5,
    ...more,
  },
});
export const crashed = (run: number): Happening => ({
  kind: 'item_ended',
  run,
  end: { kind: 'crashed', error: { code: 'runtime_crashed', message: 'it has exited' } },
});
export const abortedRun = (run: number): Happening => ({ kind: 'item_ended', run, end: { kind: 'aborted' } });
export const notHere = (run: number): Happening => ({
  kind: 'item_ended',
  run,
  end: { kind: 'not_here', error: { code: 'model_not_found', message: 'no such model' } },
});

/** Ends an item with an output that reaches the outbox. */
export function succeed(worker: Machine, itemId: string): Step {
  const run = worker.runOf(itemId);
  worker.take(succeeded(run, itemId));
  return worker.take({ kind: 'outcome_saved', run });
}
