import type { Action } from './action.ts';
import { cancelJob } from './cancel-job.tsx';
import { createKey } from './create-key.tsx';
import { inviteWorker } from './invite-worker.tsx';
import { pauseMac, resumeMac } from './pause-mac.tsx';
import { pruneJobs } from './prune-jobs.tsx';
import { retryJob } from './retry-job.tsx';
import { revokeKey } from './revoke-key.tsx';

/** Every action by its path. */
export const ACTIONS = {
  '/jobs/:id/cancel': cancelJob,
  '/jobs/:id/retry': retryJob,
  '/macs/:id/pause': pauseMac,
  '/macs/:id/resume': resumeMac,
  '/admin/keys/create': createKey,
  '/admin/keys/:id/revoke': revokeKey,
  '/admin/invite': inviteWorker,
  '/admin/prune': pruneJobs,
} as const satisfies Readonly<Record<string, Action>>;
