import type { Item, RetryOn, WorkType } from '@macbatch/core';

/** A job as it is submitted, without its items. */
export interface JobDraft {
  readonly id: string;
  /** The group of keys that owns the job; empty if the pool works without keys. */
  readonly owner?: string;
  /**
   * For people.
   *
   * @default null
   */
  readonly name?: string | null;
  /**
   * The name of the key that submits the job.
   *
   * @default null
   */
  readonly submittedBy?: string | null;
  readonly jobType: WorkType;
  readonly model: string;
  /** JSON text. */
  readonly params: string;
  readonly shardSize: number;
  readonly retryOn: RetryOn;
  /**
   * Higher first.
   *
   * @default 0
   */
  readonly priority?: number;
  readonly idempotencyKey: string | null;
  /**
   * Items take the outcomes of equal items, in earlier jobs and in this one, instead of running.
   *
   * @default false
   */
  readonly reuse?: boolean;
  /** Most items and payload bytes of the owner's unfinished jobs, this one included. */
  readonly quota?: Quota;
}

/** Items one by one, or in arrays: each step of an async iteration costs time. */
export type ItemSource = AsyncIterable<Item | readonly Item[]>;

/** What the unfinished jobs of one owner may hold together. */
export interface Quota {
  readonly items: number;
  readonly payloadBytes: number;
}

export type SubmitReply =
  | { readonly outcome: 'created' | 'existing'; readonly jobId: string }
  | { readonly outcome: 'key_reused'; readonly jobId: string }
  | { readonly outcome: 'no_items' }
  | { readonly outcome: 'over_quota'; readonly quota: Quota }
  /** Positions in the order of submission, from 0. */
  | {
      readonly outcome: 'duplicate_item_id';
      readonly itemId: string;
      readonly first: number;
      readonly second: number;
    };

/** Rolls the submission's transaction back and carries the reply out of it. */
export class SubmissionRefused extends Error {
  readonly reply: SubmitReply;
  constructor(reply: SubmitReply) {
    super(`The submission was refused: ${reply.outcome}.`);
    this.reply = reply;
  }
}
