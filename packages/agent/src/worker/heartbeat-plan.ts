import type { LeaseName } from '@macbatch/contract';
import { leaseKey, leaseNameOf } from './lease-key.ts';
import { isFormerReported } from './reports.ts';
import type { WorkerState } from './worker-state.ts';

/** The contract's limit on suspects in one heartbeat. No Mac runs that many items concurrently. */
const MAX_SUSPECTS = 1000;

/** Longest pause between heartbeats while work waits for one. */
const URGENT_MS = 1000;

/** The leases in one heartbeat. */
export interface HeartbeatPlan {
  /** Leases to renew, with the number of the held task. */
  readonly renews: readonly (LeaseName & { readonly task: number })[];
  /** Items that run alone here, or will. */
  readonly suspects: readonly (LeaseName & { readonly item_id: string })[];
  /** Everything that former boots finished is reported, so their leases can be taken back. */
  readonly returnsFormerBoots: boolean;
}

/** Plans the next heartbeat. */
export function planHeartbeat(state: WorkerState): HeartbeatPlan {
  const tasks = new Map(
    state.tasks.filter(({ lost }) => !lost).map((task) => [leaseKey(task.lease), task] as const),
  );
  return {
    renews: [...tasks.values()].map(({ lease, number }) => ({ ...leaseNameOf(lease), task: number })),
    suspects: [...tasks.values()]
      .flatMap(({ lease, suspectIds }) => suspectIds.map((item_id) => ({ ...leaseNameOf(lease), item_id })))
      .slice(0, MAX_SUSPECTS),
    returnsFormerBoots:
      state.admission.deployment !== null && state.admission.formerBootsHold && isFormerReported(state),
  };
}

/** The leases with saved outcomes that are not acknowledged. The next boot of this worker reports them. */
export function unreportedLeases({ tasks }: WorkerState): readonly LeaseName[] {
  return tasks
    .filter(({ outcomes, acknowledged }) => outcomes.length > acknowledged)
    .map(({ lease }) => leaseNameOf(lease));
}

/** Returns the pause until the next heartbeat, in milliseconds. */
export function heartbeatPauseMs(state: WorkerState): number {
  const { pauseMs, missed } = state.heartbeat;
  if (isUrgent(state)) return Math.min(URGENT_MS, pauseMs);
  // After two missed heartbeats in a row, the worker would no longer count as alive.
  return missed ? pauseMs / 3 : pauseMs;
}

/**
 * Returns the pause after a heartbeat that found the control plane or its database down, in milliseconds. Short,
 * because the next heartbeat finds out for all loops when the outage has ended. `jitter` in [0, 1) spreads the workers.
 */
export function outagePauseMs({ heartbeat: { pauseMs } }: WorkerState, jitter: number): number {
  return Math.min(URGENT_MS, pauseMs) * (0.5 + jitter / 2);
}

/** Whether work waits for the next heartbeat. False while another machine uses the worker id. */
function isUrgent(state: WorkerState): boolean {
  const { idInUse, deployment, formerBootsHold } = state.admission;
  if (idInUse) return false;
  return deployment === null || (formerBootsHold && isFormerReported(state));
}
