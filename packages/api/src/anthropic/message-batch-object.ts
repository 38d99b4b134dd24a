import type { MessageBatchObject } from '@macbatch/contract';
import type { BatchState } from '@macbatch/core';
import type { Batch } from '@macbatch/store';

type ProcessingStatus = MessageBatchObject['processing_status'];

/** The status that Anthropic's interface shows. Results that are being written are still in progress. */
const STATUS: Readonly<Record<BatchState, ProcessingStatus>> = {
  validating: 'in_progress',
  in_progress: 'in_progress',
  finalizing: 'in_progress',
  expiring: 'in_progress',
  cancelling: 'canceling',
  failed: 'ended',
  completed: 'ended',
  expired: 'ended',
  cancelled: 'ended',
};

export function processingStatus({ state }: Batch): ProcessingStatus {
  return STATUS[state];
}

/** A batch as Anthropic describes it. `origin` is the URL of the control plane as the client knows it. */
export function messageBatchObject(batch: Batch, origin: string): MessageBatchObject {
  const { times } = batch;
  const status = processingStatus(batch);
  const hasEnded = status === 'ended';
  const at = (time: Date | null) => time?.toISOString() ?? null;
  return {
    id: batch.id,
    type: 'message_batch',
    processing_status: status,
    request_counts: requestCounts(batch, hasEnded),
    created_at: times.created.toISOString(),
    expires_at: times.expires.toISOString(),
    ended_at: at(times.completed ?? times.expired ?? times.cancelled ?? times.failed),
    cancel_initiated_at: at(times.cancelling),
    archived_at: at(batch.resultsExpiredAt),
    results_url:
      hasEnded && batch.resultsExpiredAt === null
        ? `${origin}/v1/messages/batches/${batch.id}/results`
        : null,
  };
}

function requestCounts(
  { counts, notRun, state }: Batch,
  hasEnded: boolean,
): MessageBatchObject['request_counts'] {
  if (!hasEnded) return { processing: counts.total, succeeded: 0, errored: 0, canceled: 0, expired: 0 };
  const canceled = state === 'cancelled' ? notRun : 0;
  const expired = state === 'expired' ? notRun : 0;
  return {
    processing: 0,
    succeeded: counts.completed,
    errored: counts.failed - canceled - expired,
    canceled,
    expired,
  };
}
