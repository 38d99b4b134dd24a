import type { KeyRole } from '@macbatch/core';
import type { RouteName } from './route-shape.ts';

/** Who may use a route: any key, a join token, or these roles. Admins may use every route. */
export type Access = 'any_key' | 'join_token' | readonly Exclude<KeyRole, 'admin'>[];

/** Access per route. A missing route does not compile. */
export const ACCESS: Readonly<Record<RouteName, Access>> = {
  submitJob: ['submit'],
  listJobs: ['submit', 'read'],
  readJob: ['submit', 'read'],
  explainJob: ['submit', 'read'],
  readResults: ['submit', 'read'],
  listItems: ['submit', 'read'],
  readItem: ['submit', 'read'],
  cancelJob: ['submit'],
  retryJob: ['submit'],
  auditJob: ['submit', 'read'],
  listFailures: ['submit', 'read'],
  listEvents: ['submit', 'read'],
  streamChanges: ['submit', 'read'],
  readThroughput: ['submit', 'read'],
  countKnownKeys: ['submit', 'read'],
  leaseTasks: ['worker'],
  completeBatch: ['worker'],
  releaseTasks: ['worker'],
  heartbeat: ['worker'],
  pauseWorker: ['worker'],
  resumeWorker: ['worker'],
  reportBoot: ['worker'],
  // The key of a worker sees only this worker.
  listWorkers: ['submit', 'read', 'worker'],
  listBoots: [],
  reclaim: [],
  prune: [],
  readDatabase: [],
  readCaller: 'any_key',
  createSession: 'any_key',
  endSession: 'any_key',
  createKey: [],
  listKeys: [],
  revokeKey: [],
  createJoinToken: [],
  joinWorker: 'join_token',
};
