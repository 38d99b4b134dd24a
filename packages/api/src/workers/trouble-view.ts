import type { TroubleView } from '@macbatch/contract';
import { needsAttention, type WorkerTrouble } from '@macbatch/core';

/** Why a worker cannot run an offer, as clients see it. */
export function troubleView(trouble: WorkerTrouble): TroubleView {
  const { jobType, model, endpoint, code, message, sinceSeconds, nextTrySeconds } = trouble;
  return {
    job_type: jobType,
    model,
    endpoint,
    code,
    message,
    since_seconds: sinceSeconds,
    next_try_seconds: nextTrySeconds,
    needs_attention: needsAttention(trouble),
  };
}
