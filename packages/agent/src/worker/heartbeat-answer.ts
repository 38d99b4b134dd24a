import { becomes } from './become.ts';
import { type Change, emit, forEach, inOrder, log, nothing, set } from './change.ts';
import type { EventOf } from './event.ts';
import { fillSlots } from './fill-slots.ts';
import { leaseKey } from './lease-key.ts';
import { leaveAllTasks, loseLease, skipRecorded } from './leave-task.ts';
import { recoveredReportable } from './reportable.ts';
import { isFormerReported, queueReport } from './reports.ts';
import { isEnded, taskOf, type WorkerState } from './worker-state.ts';

/** Applies the control plane's answer to a heartbeat: admission, renewed and lost leases, recorded items. */
export function heartbeatAnswered(event: EventOf<'heartbeat_answered'>): Change {
  const { plan, reply, now } = event;
  const numbers = new Map(plan.renews.map((lease) => [leaseKey(lease), lease.task]));
  return inOrder(
    becomeKnown(reply.deployment_id),
    plan.returnsFormerBoots ? updateAdmission({ formerBootsHold: false }) : nothing,
    admitWhenAlone,
    trustLeases(event),
    forEach(reply.lost, (lease) => (state) => {
      const number = numbers.get(leaseKey(lease));
      const task = number === undefined ? undefined : taskOf(state, number);
      // Its report was answered, or its rest handed back, while the heartbeat was under way.
      if (task === undefined || task.lost || isEnded(state, task)) return nothing(state);
      return loseLease(task.number, lease.code, now)(state);
    }),
    forEach(reply.settled, (lease) => (state) => {
      const number = numbers.get(leaseKey(lease));
      const task = number === undefined ? undefined : taskOf(state, number);
      if (task === undefined || task.lost) return nothing(state);
      return skipRecorded(task.number, lease.item_ids, now)(state);
    }),
    // Drains: what runs may end, and the rest goes to other workers. Nothing more is leased while the pause lasts.
    reply.pause?.drain === true ? leaveAllTasks(now) : nothing,
    fillSlots(now),
  );
}

/** Counts the heartbeat as missed. While another machine uses the worker id, nothing is leased. */
export function heartbeatFailed({ reason, idInUse }: EventOf<'heartbeat_failed'>): Change {
  return inOrder(
    set((state) => ({ ...state, heartbeat: { ...state.heartbeat, missed: !idInUse } })),
    updateAdmission(idInUse ? { idInUse, admitted: false } : { idInUse }),
    log('heartbeat.failed', { reason }),
  );
}

/**
 * Reports what earlier processes finished before anything is leased. Otherwise the control plane could take
 * back their leases and grant the same items again.
 */
export function outboxRead({ recovered, now }: EventOf<'outbox_read'>): Change {
  return inOrder(
    updateAdmission({ outboxRead: true }),
    (state) =>
      forEach(recovered, (task) =>
        queueReport(
          { kind: 'recovered', reportable: recoveredReportable(task, state.settings.afterCrash) },
          now,
        ),
      )(state),
    (state) => (state.admission.formerBootsHold && isFormerReported(state) ? hurry(state) : nothing(state)),
  );
}

/** The heartbeat was answered; the first answer names the deployment whose outbox records are read. */
function becomeKnown(deployment: string): Change {
  return inOrder(
    set((state) => ({ ...state, heartbeat: { ...state.heartbeat, missed: false } })),
    updateAdmission({ idInUse: false }),
    (state) =>
      state.admission.deployment === null
        ? inOrder(updateAdmission({ deployment }), emit({ kind: 'read_outbox', deployment }))(state)
        : nothing(state),
  );
}

/** Admits the worker once no former boot of it holds a lease. */
const admitWhenAlone: Change = (state) => {
  const { formerBootsHold, admitted } = state.admission;
  if (formerBootsHold) return isFormerReported(state) ? hurry(state) : nothing(state);
  if (admitted) return nothing(state);
  return inOrder(
    updateAdmission({ admitted: true }),
    state.life === 'starting' ? becomes('running') : nothing,
  )(state);
};

const hurry = emit({ kind: 'send_heartbeat' });

/** Leases that the heartbeat renewed are held for their whole length again, from when the heartbeat left. */
function trustLeases({ plan, reply, sentAt }: EventOf<'heartbeat_answered'>): Change {
  const lost = new Set(reply.lost.map(leaseKey));
  const renewed = new Set(plan.renews.filter((lease) => !lost.has(leaseKey(lease))).map(({ task }) => task));
  return set((state) => ({
    ...state,
    tasks: state.tasks.map((task) =>
      renewed.has(task.number)
        ? { ...task, trustedUntil: sentAt + task.lease.lease_seconds * 1000, possiblyExpired: false }
        : task,
    ),
  }));
}

function updateAdmission(changed: Partial<WorkerState['admission']>): Change {
  return set((state) => ({ ...state, admission: { ...state.admission, ...changed } }));
}
