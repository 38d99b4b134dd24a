import type { BatchTerms } from '@macbatch/core';
import type { Quota } from '@macbatch/store';

/** Limits and settings of batches. */
export interface BatchLimits extends Pick<BatchTerms, 'maxRequests' | 'mixedModels'> {
  /** Longest line of an input file, in bytes. */
  readonly maxFileLineBytes: number;
  /** Limits on the unfinished jobs of one group; null for no limit. */
  readonly quota: Quota | null;
  /** Requests take the outcomes of equal requests in earlier jobs. OpenAI runs them again. */
  readonly reuse: boolean;
  /** Time until output and error files expire, unless the batch says otherwise; null: never. */
  readonly fileExpirySeconds: number | null;
  /** Days after which a batch that has ended is deleted. */
  readonly retentionDays: number;
}

export const DEFAULT_BATCH_LIMITS: BatchLimits = {
  maxRequests: 50_000,
  mixedModels: 'refuse',
  maxFileLineBytes: 64 * 1024 * 1024,
  quota: null,
  reuse: false,
  fileExpirySeconds: 30 * 24 * 60 * 60,
  retentionDays: 365,
};
