/**
 * What a key is for. `submit`: its group's jobs and their results. `worker`: lease, report and heartbeat, as
 * one worker. `metrics`: what a monitoring system reads. `admin`: everything.
 */
export const KEY_ROLES = ['submit', 'worker', 'metrics', 'admin'] as const;
export type KeyRole = (typeof KEY_ROLES)[number];
