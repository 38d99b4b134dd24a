import { type Change, emit, inOrder, log, nothing, set } from './change.ts';
import type { EventOf } from './event.ts';
import { abortRuns, leaveAllTasks } from './leave-task.ts';
import type { WorkerState } from './worker-state.ts';

/** How long a running item may go on after a pause has begun. */
const FINISH_MS = 30_000;

/** Begins or ends the pause, or takes in another reason for it. The control plane hears of it immediately. */
export function ownPauseChanged({ pause, now }: EventOf<'own_pause'>): Change {
  return (state) => {
    const { ownPause: before } = state;
    if (pause === null && before === null) return nothing(state);
    if (pause !== null && before !== null)
      return set((each) => ({ ...each, ownPause: { ...before, ...pause } }))(state);
    return inOrder(
      set((each) => ({
        ...each,
        ownPause: pause === null ? null : { ...pause, since: now, abortAt: now + FINISH_MS },
      })),
      pause === null
        ? log('worker.resumed', { rule: before?.rule })
        : inOrder(
            log('worker.paused', { rule: pause.rule, reason: pause.reason }),
            leaveAllTasks(now),
            emit({ kind: 'stop_asking' }),
          ),
      emit({ kind: 'send_heartbeat' }),
    )(state);
  };
}

/** Gives up the items that a pause waited for long enough. Their tasks have been handed back already. */
export function endPausedRuns(now: number): Change {
  return (state) => {
    const abortAt = abortsAt(state);
    if (abortAt === null || now < abortAt) return nothing(state);
    return inOrder(
      set((each) => ({
        ...each,
        ownPause: each.ownPause === null ? null : { ...each.ownPause, abortAt: null },
      })),
      abortRuns(() => true, 'this Mac is paused'),
    )(state);
  };
}

/** When running items are given up; null if there are none or no pause. */
export function abortsAt({ ownPause, runs }: WorkerState): number | null {
  return runs.length === 0 ? null : (ownPause?.abortAt ?? null);
}
