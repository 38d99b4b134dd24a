import type { EntryReply, HeartbeatReply, LeasedTask } from '@macbatch/contract';
import type { Offer } from '../runtimes/runtime.ts';
import type { HeartbeatPlan } from './heartbeat-plan.ts';
import type { ItemEnd } from './item-end.ts';
import type { OwnPause } from './own-pause.ts';
import type { RecoveredTask } from './reportable.ts';

/** Something that happened to the worker. */
export type Happening =
  /** The control plane granted leases; the request left at `sentAt`. */
  | { readonly kind: 'leased'; readonly tasks: readonly LeasedTask[]; readonly sentAt: number }
  /** The run of an item ended, in any way. */
  | { readonly kind: 'item_ended'; readonly run: number; readonly end: ItemEnd }
  /** The outcome of a run is in the outbox file, or in memory if the file cannot be written. */
  | { readonly kind: 'outcome_saved'; readonly run: number }
  /** The time of the last `wake_at` effect has passed. */
  | { readonly kind: 'time_passed' }
  /** A runtime loads another model than the one before. */
  | { readonly kind: 'model_swapped' }
  | {
      readonly kind: 'heartbeat_answered';
      readonly plan: HeartbeatPlan;
      readonly sentAt: number;
      readonly reply: Pick<HeartbeatReply, 'deployment_id' | 'lost' | 'settled'> &
        Partial<Pick<HeartbeatReply, 'pause'>>;
    }
  /** `idInUse`: another machine works under this worker id. */
  | { readonly kind: 'heartbeat_failed'; readonly reason: string; readonly idInUse: boolean }
  /** What the outbox has of earlier processes, for this deployment. */
  | { readonly kind: 'outbox_read'; readonly recovered: readonly RecoveredTask[] }
  | { readonly kind: 'outbox_writable'; readonly writable: boolean }
  /** The next report is due. */
  | { readonly kind: 'report_due' }
  /** Replies to a report, by `leaseKey`. Entries that the control plane cannot read have none. */
  | { readonly kind: 'report_answered'; readonly replies: ReadonlyMap<string, EntryReply> }
  | { readonly kind: 'report_failed'; readonly reason: string }
  /** A runtime has probed its withdrawn offers. */
  | {
      readonly kind: 'offers_probed';
      readonly runtime: number;
      readonly results: readonly { readonly offer: Offer; readonly code: string; readonly works: boolean }[];
    }
  /** A server has answered a test, or has not. `test` is numbered like a run. */
  | {
      readonly kind: 'server_tested';
      readonly runtime: number;
      readonly model: string;
      readonly test: number;
      readonly works: boolean;
    }
  /** How many items a server runs concurrently. */
  | {
      readonly kind: 'slots_known';
      readonly runtime: number;
      readonly model: string;
      readonly slots: number;
      /** The server has said so. Otherwise it is what such servers do by default, and more may be better. */
      readonly isLimit: boolean;
    }
  /** A discovered server has other models than before, or a server was found or has gone. */
  | {
      readonly kind: 'offers_found';
      readonly runtime: number;
      /** For logs. */
      readonly name: string;
      readonly offers: readonly Offer[];
    }
  /** This machine, or a person at it, keeps the worker from running; null: no more. */
  | { readonly kind: 'own_pause'; readonly pause: OwnPause | null }
  | { readonly kind: 'drain' }
  /** The grace time of a drain is over. */
  | { readonly kind: 'grace_over' }
  /** Stop now and abort running items. */
  | { readonly kind: 'force_quit' }
  | { readonly kind: 'stopped' };

/** A happening and when it was noticed, by the agent's clock in milliseconds. */
export type WorkerEvent = Happening & { readonly now: number };

/** The event of one kind. */
export type EventOf<Kind extends Happening['kind']> = Extract<WorkerEvent, { readonly kind: Kind }>;
