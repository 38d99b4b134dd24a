import type { LeasedTask, LeaseName, Outcome, ReleasedLease, ReportEntry } from '@macbatch/contract';
import type { Offer } from '../runtimes/runtime.ts';
import type { LeasedItem } from './held-task.ts';

/** An instruction to the code around `step`, which does the I/O. Effects run in order. */
export type Effect =
  /** Ends with `item_ended`. `alone`: the item is a suspect and has the slots for itself. */
  | {
      readonly kind: 'start_item';
      readonly run: number;
      readonly lease: LeasedTask;
      readonly item: LeasedItem;
      readonly runtime: number | null;
      readonly alone: boolean;
    }
  | { readonly kind: 'abort_item'; readonly run: number; readonly reason: string }
  /** W6: writes an outcome to the outbox. Ends with `outcome_saved`. */
  | {
      readonly kind: 'save_outcome';
      readonly run: number;
      readonly lease: LeaseName;
      readonly outcome: Outcome;
    }
  /** Notes in the outbox that a lease is held. */
  | { readonly kind: 'save_lease'; readonly lease: LeasedTask }
  /** Notes in the outbox that all of a lease is acknowledged. */
  | { readonly kind: 'forget_lease'; readonly lease: LeaseName }
  /** Ends with `outbox_read`. */
  | { readonly kind: 'read_outbox'; readonly deployment: string }
  /** Reports the entries, then releases the leases. Ends with `report_answered` or `report_failed`. */
  | {
      readonly kind: 'send_report';
      readonly entries: readonly ReportEntry[];
      readonly releases: readonly ReleasedLease[];
    }
  /** A report is due earlier than before. */
  | { readonly kind: 'report_at'; readonly at: number }
  | { readonly kind: 'send_heartbeat' }
  /** Ends with `time_passed` at that time. Replaces the one before. */
  | { readonly kind: 'wake_at'; readonly at: number }
  | { readonly kind: 'ask_for_work' }
  /** A request for work that waits for an answer ends. */
  | { readonly kind: 'stop_asking' }
  /** Ends with `offers_probed`. */
  | {
      readonly kind: 'probe_offers';
      readonly runtime: number;
      readonly offers: readonly { readonly offer: Offer; readonly code: string }[];
    }
  /** Asks the server for one token. Ends with `server_tested`. */
  | { readonly kind: 'test_server'; readonly runtime: number; readonly model: string; readonly test: number }
  /** Asks the server how many items it runs concurrently. Ends with `slots_known` if the server says so. */
  | { readonly kind: 'ask_slots'; readonly runtime: number; readonly model: string }
  /** The drain is complete: nothing runs any more. */
  | { readonly kind: 'work_ended' }
  | {
      readonly kind: 'log';
      readonly event: string;
      readonly fields: Readonly<Record<string, unknown>>;
    };
