import { MAX_JOB_NAME_LENGTH } from '@macbatch/contract';
import { DEFAULT_SHARD_SIZE, workTypeOf } from '@macbatch/core';
import type { BatchJobDraft, Quota } from '@macbatch/store';

interface BatchJob {
  /** Of the input file; null if there is none. */
  readonly filename: string | null;
  readonly owner: string;
  readonly endpoint: string;
  readonly model: string;
  readonly reuse: boolean;
  /** Limits on the unfinished jobs of one group; null for no limit. */
  readonly quota: Quota | null;
}

/** The job that runs the requests of a batch for one model. */
export function batchJobDraft({
  owner,
  endpoint,
  model,
  reuse,
  quota,
  filename,
}: BatchJob): BatchJobDraft['draft'] {
  const params = { endpoint };
  return {
    name: filename === null ? null : [...filename].slice(0, MAX_JOB_NAME_LENGTH).join(''),
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
