import type { Outcome } from '@macbatch/contract';
import type { Offer } from '../runtimes/runtime.ts';
import { type EndpointControl, newControl } from './endpoint-control.ts';
import { type HeldTask, isStartable, type LeasedItem } from './held-task.ts';
import type { ItemRecord } from './item-record.ts';
import type { StandingPause } from './own-pause.ts';
import type { Pauses } from './pauses.ts';
import { NO_CRASHES, type Quarantine, type Suspicion } from './quarantine.ts';
import type { Reportable } from './reportable.ts';
import type { Withdrawal } from './withdrawals.ts';

/**
 * `starting`: not yet admitted by the control plane. `running`: leases tasks and runs items.
 * `draining`: takes nothing new, finishes or hands back what it holds. `stopped`: is offline.
 */
export type WorkerLife = 'starting' | 'running' | 'draining' | 'stopped';

/** What a runtime is set up with. */
interface RuntimeSettings {
  /** For logs. */
  readonly name: string;
  readonly offers: readonly Offer[];
  /** It runs items on a server that has other clients and may continue an aborted request. */
  readonly remote: boolean;
}

/** What the worker is set up with. */
export interface WorkerSettings {
  readonly workerId: string;
  /** Number of items that run concurrently. */
  readonly slots: number;
  /** Longest time between two heartbeats. */
  readonly heartbeatMs: number;
  /** Longest time before an outcome of an unfinished task is reported. */
  readonly reportMs: number;
  /** In the order in which the runtimes are asked. */
  readonly runtimes: readonly RuntimeSettings[];
  readonly pauses: Pauses;
  /** The process before this one died. */
  readonly afterCrash: boolean;
  /** Items that were running when an earlier process died. They run alone. */
  readonly crashedItems: readonly { readonly name: string; readonly crashesAlone: number }[];
  /** Whether leases of former boots may still be held. */
  readonly hasFormerBoots: boolean;
}

/** One item in a slot: it runs, or its outcome is being saved. */
export interface Run {
  readonly number: number;
  /** Number of the held task. */
  readonly task: number;
  readonly item: LeasedItem;
  readonly offer: Offer;
  /** Index of the runtime; null if no runtime can run the offer now. */
  readonly runtime: number | null;
  /** The item's crash record, for a suspect. A suspect has the slots for itself. */
  readonly suspicion: Suspicion | null;
  /** Nothing else has run here since it started. */
  readonly alone: boolean;
  readonly startedAt: number;
  /** Answers of its model on its runtime when it started. */
  readonly answeredBefore: number;
  /** Nothing else has run on its runtime since it started. */
  readonly aloneOnRuntime: boolean;
  /** Nothing else may start on its runtime while it runs. */
  readonly exclusive: boolean;
  /** The outcome that is being written to the outbox. */
  readonly saving: Outcome | null;
}

export interface RuntimeState {
  readonly name: string;
  /** What it is set up to run. */
  readonly offers: readonly Offer[];
  readonly quarantine: Quarantine;
  /** How many items may start on it, and its trouble. */
  readonly control: EndpointControl;
  /** What it has answered at least once. */
  readonly answeredOffers: readonly Offer[];
  /** Items that failed on it and have no outcome. */
  readonly records: readonly ItemRecord[];
  /** A probe of its withdrawn offers is under way. */
  readonly probing: boolean;
  /** Models whose number of slots its server was asked for. */
  readonly slotsAsked: readonly string[];
  /** Its server is asked for one token. Nothing else starts on it. */
  readonly testing: boolean;
}

/** What the control plane has said about this boot. */
interface Admission {
  /** May lease tasks. */
  readonly admitted: boolean;
  /** Id of the control plane's database; null until the first heartbeat was answered. */
  readonly deployment: string | null;
  /** The outbox was read for that deployment. */
  readonly outboxRead: boolean;
  /** Leases of former boots may still be held. */
  readonly formerBootsHold: boolean;
  /** Another machine works under this worker id. */
  readonly idInUse: boolean;
}

/** One report that waits: the last one of a held task, the rest of one, or one of an earlier process. */
export type QueuedReport =
  | { readonly kind: 'task'; readonly task: number }
  | { readonly kind: 'rest'; readonly reportable: Reportable }
  | { readonly kind: 'recovered'; readonly reportable: Reportable };

/** The outcomes of a running task before index `upTo`. */
export interface PartialReport {
  readonly task: number;
  readonly upTo: number;
}

export interface Reports {
  /** Last reports, in order. A report leaves the queue when it is acknowledged. */
  readonly waiting: readonly QueuedReport[];
  /** Numbers of tasks that still run and have outcomes to report. */
  readonly partial: readonly number[];
  /** When both are sent; null while there is nothing to send. */
  readonly dueAt: number | null;
  /** What is being sent. */
  readonly sending: {
    readonly waiting: readonly QueuedReport[];
    readonly partial: readonly PartialReport[];
  } | null;
}

/** All that a worker knows. Immutable: `step` returns a new state. */
export interface WorkerState {
  readonly settings: WorkerSettings;
  readonly life: WorkerLife;
  readonly admission: Admission;
  /** Time between heartbeats, and whether the last one got no answer. */
  readonly heartbeat: { readonly pauseMs: number; readonly missed: boolean };
  /** Why the worker pauses by itself; null: it does not. */
  readonly ownPause: StandingPause | null;
  /** Held tasks, oldest first. */
  readonly tasks: readonly HeldTask[];
  readonly runs: readonly Run[];
  readonly runtimes: readonly RuntimeState[];
  readonly withdrawals: readonly Withdrawal[];
  readonly reports: Reports;
  /** Whether the outbox can write records. */
  readonly outboxWritable: boolean;
  /** Number of the next task or run. */
  readonly nextNumber: number;
  /** When the next `time_passed` event is due; null if nothing changes without an event. */
  readonly wakeAt: number | null;
}

/** A worker that has just started. */
export function initialState(settings: WorkerSettings): WorkerState {
  return {
    settings,
    life: 'starting',
    admission: {
      admitted: false,
      deployment: null,
      outboxRead: false,
      formerBootsHold: settings.hasFormerBoots,
      idInUse: false,
    },
    heartbeat: { pauseMs: settings.heartbeatMs, missed: false },
    ownPause: null,
    tasks: [],
    runs: [],
    runtimes: settings.runtimes.map(({ name, offers, remote }) => ({
      name,
      offers,
      quarantine: NO_CRASHES,
      control: newControl(remote, settings.slots),
      answeredOffers: [],
      records: [],
      probing: false,
      slotsAsked: [],
      testing: false,
    })),
    withdrawals: [],
    reports: { waiting: [], partial: [], dueAt: null, sending: null },
    outboxWritable: true,
    nextNumber: 1,
    wakeAt: null,
  };
}

/** The held task with this number. */
export function taskOf(state: WorkerState, number: number): HeldTask | undefined {
  return state.tasks.find((task) => task.number === number);
}

/** Replaces one held task. */
export function withTask(state: WorkerState, task: HeldTask): WorkerState {
  return { ...state, tasks: state.tasks.map((each) => (each.number === task.number ? task : each)) };
}

/** Whether nothing of the task is left to start and nothing of it runs. */
export function isEnded(state: WorkerState, task: HeldTask): boolean {
  return !isStartable(task) && !state.runs.some((run) => run.task === task.number);
}

/** Whether an item runs alone, to find out whether it crashes its runtime. */
export function isQuarantined(state: WorkerState): boolean {
  return state.runs.some(({ suspicion }) => suspicion !== null);
}
