import type { LeasedTask } from '@macbatch/contract';
import { type Change, emit, forEach, inOrder, log, nothing, set } from './change.ts';
import { recordName } from './endpoint-runs.ts';
import type { EventOf } from './event.ts';
import { fillSlots } from './fill-slots.ts';
import { addSuspect, type HeldTask, heldTask, type LeasedItem } from './held-task.ts';
import { leaveTask } from './leave-task.ts';
import { queueTaskNow } from './reports.ts';
import { isEnded, type WorkerSettings } from './worker-state.ts';

/** A lease is renewed when this part of it has passed. */
const RENEW_AFTER = 1 / 3;

/** Starts the items of leased tasks. A worker that drains or pauses itself hands the tasks back. */
export function adoptLeases({ tasks, sentAt, now }: EventOf<'leased'>): Change {
  return inOrder(
    forEach(tasks, (lease) => adopt(lease, sentAt, now)),
    fillSlots(now),
  );
}

function adopt(lease: LeasedTask, sentAt: number, now: number): Change {
  return (state) => {
    const { task_id, attempt, items, copy } = lease;
    // The lease began when it was granted. That was after the request left, by an unknown time.
    const whole = heldTask(state.nextNumber, lease, {
      leasedAt: now,
      trustedUntil: sentAt + lease.lease_seconds * 1000,
    });
    const task = withSuspects(whole, state.settings.crashedItems);
    return inOrder(
      log('task.leased', { task_id, attempt, items: items.length, ...(copy ? { copy: true } : {}) }),
      emit({ kind: 'save_lease', lease }),
      renewInTime(lease.lease_seconds),
      set((before) => ({
        ...before,
        tasks: [...before.tasks, task],
        nextNumber: before.nextNumber + 1,
      })),
      isEnded(state, task) ? queueTaskNow(task, now) : nothing,
      state.life === 'draining' || state.ownPause !== null ? leaveTask(task.number, now) : nothing,
    )(state);
  };
}

/** Items that were running when an earlier process of this worker died run alone. */
function withSuspects(task: HeldTask, crashed: WorkerSettings['crashedItems']): HeldTask {
  if (crashed.length === 0) return task;
  const crashes = new Map(crashed.map(({ name, crashesAlone }) => [name, crashesAlone]));
  const crashesOf = (item: LeasedItem) => crashes.get(recordName(task.lease.task_id, item));
  return task.queue.reduce<HeldTask>(
    (before, item) => {
      const crashesAlone = crashesOf(item);
      return crashesAlone === undefined
        ? before
        : addSuspect(before, { item, suspicion: { crashesAlone, successesBefore: 0 } });
    },
    { ...task, queue: task.queue.filter((item) => crashesOf(item) === undefined) },
  );
}

/** Sets the pause between heartbeats so that a lease of this length is renewed in time. */
function renewInTime(leaseSeconds: number): Change {
  return (state) => {
    const pauseMs = Math.min(state.settings.heartbeatMs, leaseSeconds * 1000 * RENEW_AFTER);
    return {
      state: { ...state, heartbeat: { ...state.heartbeat, pauseMs } },
      // The pause that has begun may be longer than the lease.
      effects: pauseMs < state.heartbeat.pauseMs ? [{ kind: 'send_heartbeat' }] : [],
    };
  };
}
