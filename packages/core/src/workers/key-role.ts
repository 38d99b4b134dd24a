/**
 * What a key allows. `submit`: the jobs and results of its group. `read`: the same, but changes
 * nothing. `worker`: lease, report and send heartbeats as
 * one worker. `metrics`: read the metrics. `admin`: everything.
 */
export const KEY_ROLES = ['submit', 'read', 'worker', 'metrics', 'admin'] as const;
export type KeyRole = (typeof KEY_ROLES)[number];
