import { DEFAULT_SHARD_SIZE, workTypeOf } from '@macbatch/core';
import type { BatchJobDraft, Quota } from '@macbatch/store';

interface BatchJob {
  readonly owner: string;
  readonly endpoint: string;
  readonly model: string;
  readonly reuse: boolean;
  /** Limits on the unfinished jobs of one group; null for no limit. */
  readonly quota: Quota | null;
}

/** The job that runs the requests of a batch for one model. */
export function batchJobDraft({ owner, endpoint, model, reuse, quota }: BatchJob): BatchJobDraft['draft'] {
  const params = { endpoint };
  return {
    owner,
    jobType: workTypeOf('request', params),
    model,
    params: JSON.stringify(params),
    shardSize: DEFAULT_SHARD_SIZE,
    retryOn: 'attempts',
    reuse,
    // Without keys there are no groups, and no quotas either.
    ...(quota === null || owner === '' ? {} : { quota }),
  };
}
