import type { BatchObject } from '@macbatch/contract';
import type { BatchState } from '@macbatch/core';
import type { Batch } from '@macbatch/store';
import { unixSeconds } from './unix-seconds.ts';

/** The status that clients see: they know no `expiring`. */
export function clientStatus(state: BatchState): BatchObject['status'] {
  return state === 'expiring' ? 'finalizing' : state;
}

/** A batch as OpenAI describes it. */
export function batchObject(batch: Batch): BatchObject {
  const { times } = batch;
  const at = (time: Date | null) => (time === null ? null : unixSeconds(time));
  return {
    id: batch.id,
    object: 'batch',
    endpoint: batch.endpoint,
    model: batch.model,
    errors: batch.errors === null ? null : { object: 'list', data: JSON.parse(batch.errors) },
    input_file_id: batch.inputFileId,
    completion_window: batch.completionWindow,
    status: clientStatus(batch.state),
    output_file_id: batch.outputFileId,
    error_file_id: batch.errorFileId,
    created_at: unixSeconds(times.created),
    in_progress_at: at(times.inProgress),
    expires_at: unixSeconds(times.expires),
    finalizing_at: at(times.finalizing),
    completed_at: at(times.completed),
    failed_at: at(times.failed),
    expired_at: at(times.expired),
    cancelling_at: at(times.cancelling),
    cancelled_at: at(times.cancelled),
    request_counts: { ...batch.counts },
    usage: batch.usage === null ? null : JSON.parse(batch.usage),
    metadata: batch.metadata === null ? null : JSON.parse(batch.metadata),
  };
}
