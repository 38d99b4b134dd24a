import type { ConnectionPools } from '@macbatch/connection';
import type { BatchState } from '@macbatch/core';
import type { Job } from '../jobs/job.ts';
import type { SubmitReply } from '../jobs/job-draft.ts';
import { type BatchItem, batchItems, jobsOfBatch } from './batch-outcomes.ts';
import type { Batch } from './batch-rows.ts';
import { applyJobEvent, cancelBatch, failBatch } from './change-batch.ts';
import { type BatchClaim, claimBatch, releaseClaim, renewClaim } from './claim-batch.ts';
import { type BatchReply, createBatch, type NewBatch } from './create-batch.ts';
import { createMessageBatch, type MessageBatchReply, type NewMessageBatch } from './create-message-batch.ts';
import { deleteBatch } from './delete-batch.ts';
import { type BatchFiles, finishBatch, removeOldBatches } from './finish-batch.ts';
import { type BatchPage, findBatch, listBatches } from './read-batches.ts';
import { type BatchJobDraft, submitBatch } from './submit-batch.ts';

/** The batches of the interfaces of OpenAI and Anthropic. */
export interface BatchStore {
  /** Creates a batch, or returns the one that exists under its idempotency key. */
  create(batch: NewBatch): Promise<BatchReply>;
  /** Creates a batch of Anthropic's interface with its jobs, or nothing of it: see `createMessageBatch`. */
  createMessages(batch: NewMessageBatch): Promise<MessageBatchReply>;
  /** Returns null when there is no such batch. */
  find(id: string): Promise<Batch | null>;
  /** Newest first. */
  list(page: BatchPage): Promise<Batch[]>;
  /** Begins to cancel a batch. Changes nothing when it is being cancelled, is being finished or has ended. */
  cancel(id: string): Promise<void>;
  /** Claims a batch that needs background work for this long; null when there is none. */
  claim(seconds: number): Promise<{ readonly claim: BatchClaim; readonly batch: Batch } | null>;
  /** Extends a claim. Returns false when it is lost, or when the batch is not in this state any more. */
  renew(claim: BatchClaim, state: BatchState, seconds: number): Promise<boolean>;
  /** Ends a claim, so that the batch can be claimed again immediately. */
  release(claim: BatchClaim): Promise<void>;
  /** Ends a batch whose input file is not valid. `errors` is JSON text. Throws `BatchClaimLost`. */
  fail(claim: BatchClaim, errors: string): Promise<void>;
  /** Stores the jobs of a batch and starts it, or returns the refusal of a job. Throws `BatchClaimLost`. */
  submit(claim: BatchClaim, jobs: readonly BatchJobDraft[]): Promise<SubmitReply | null>;
  /** Applies what happened to the jobs of a batch. Returns false when that changes nothing. */
  apply(claim: BatchClaim, event: 'items_ended' | 'window_passed' | 'cancel'): Promise<boolean>;
  /** The jobs of a batch, in order. */
  jobs(batch: string): Promise<Job[]>;
  /** Every item of the jobs once, in order, in pages. */
  items(jobs: readonly Job[]): AsyncIterable<readonly BatchItem[]>;
  /** Ends a batch and shows its files. Throws `BatchClaimLost`. */
  finish(claim: BatchClaim, written: BatchFiles): Promise<void>;
  /** Deletes a batch that has ended and hides its jobs. Returns false when there is no such batch. */
  delete(id: string): Promise<boolean>;
  /** Deletes batches that ended this many days ago. */
  removeOld(days: number): Promise<void>;
}

/** Opens the store of batches. Calls `onSubmitted` when there are new jobs. */
export function createBatchStore(connections: ConnectionPools, onSubmitted: () => void): BatchStore {
  return {
    create: (batch) => createBatch(connections, batch),
    async createMessages(batch) {
      const reply = await createMessageBatch(connections, batch);
      onSubmitted();
      return reply;
    },
    find: (id) => findBatch(connections, id),
    list: (page) => listBatches(connections, page),
    cancel: (id) => cancelBatch(connections, id),
    claim: (seconds) => claimBatch(connections, seconds),
    renew: (claim, state, seconds) => renewClaim(connections, claim, state, seconds),
    release: (claim) => releaseClaim(connections, claim),
    fail: (claim, errors) => failBatch(connections, claim, errors),
    async submit(claim, jobs) {
      const refused = await submitBatch(connections, claim, jobs);
      onSubmitted();
      return refused;
    },
    apply: (claim, event) => applyJobEvent(connections, claim, event),
    jobs: (batch) => jobsOfBatch(connections, batch),
    items: (jobs) => batchItems(connections, jobs),
    finish: (claim, written) => finishBatch(connections, claim, written),
    delete: (id) => deleteBatch(connections, id),
    removeOld: (days) => removeOldBatches(connections, days),
  };
}
