import type { Refusal, TaskStatus } from '@macbatch/core';
import type { ModelBuild } from './model-ids.ts';

/** What an item of a report ended with. */
export interface Outcome {
  readonly itemId: string;
  /** JSON text; exactly one of `output` and `error` is given. */
  readonly output: string | null;
  /** JSON text. */
  readonly error: string | null;
  readonly model: ModelBuild | undefined;
  /** JSON text. */
  readonly usage: string | null;
  /** The id that the model server gave to a raw request that succeeded. */
  readonly requestId?: string | null;
}

/** The part of a report that is about one task. */
export interface Entry {
  /** Decimal digits of a 63-bit number. */
  readonly taskId: string;
  readonly attempt: number;
  readonly outcomes: readonly Outcome[];
  /** The worker has reported every item of the task. */
  readonly final: boolean;
  /** JSON text: the worker gives up what is left of the task. */
  readonly error: string | null;
}

/** The answer to an entry. */
export type Verdict =
  /** `code` says why errors of the entry, of items or of the task, were dropped although its results were recorded. */
  | {
      readonly outcome: 'accepted';
      readonly status: TaskStatus;
      readonly code?: Refusal;
      /** Ids of items that need not run, because another worker has reported an outcome from a copy. */
      readonly recordedElsewhere?: readonly string[];
    }
  /** The task was done before: by the same worker, or by another. */
  | { readonly outcome: 'duplicate' | 'superseded'; readonly status: TaskStatus }
  | {
      readonly outcome: 'refused';
      readonly status: TaskStatus | null;
      readonly code: Refusal | 'not_found' | 'unknown_item' | 'missing_items';
    };
