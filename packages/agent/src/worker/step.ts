import { adoptLeases } from './adopt-leases.ts';
import { becomes } from './become.ts';
import { type Change, emit, inOrder, nothing, type Step, set } from './change.ts';
import { endItem, outcomeSaved } from './end-item.ts';
import type { WorkerEvent } from './event.ts';
import { fillSlots } from './fill-slots.ts';
import { handBackWaiting } from './hand-back-waiting.ts';
import { heartbeatAnswered, heartbeatFailed, outboxRead } from './heartbeat-answer.ts';
import { abortRuns, leaveAllTasks } from './leave-task.ts';
import { offersFound } from './offers-found.ts';
import { endPausedRuns, ownPauseChanged } from './pause-itself.ts';
import { reportAnswered, reportDue, reportFailed } from './send-reports.ts';
import { slotsKnown } from './server-slots.ts';
import { serverTested } from './test-server.ts';
import { tellTroubles } from './troubles.ts';
import { isAlarmDue, setWakeUp } from './wake-up.ts';
import { offersProbed, probeDueOffers } from './withdraw-failed.ts';
import { isSameOffer } from './withdrawals.ts';
import { isReadyForWork, wantedOffers } from './work-wanted.ts';
import type { WorkerState } from './worker-state.ts';

/**
 * The whole behaviour of a worker: returns the next state and the effects, which its caller carries out.
 * Pure: the time comes with the event. The loops feed it events and carry out its effects. `step.test.ts` has a table
 * of what each event does in each state.
 */
export function step(state: WorkerState, event: WorkerEvent): Step {
  const { now } = event;
  return inOrder(
    changeFor(event),
    endPausedRuns(now),
    fillWhenDue(now),
    handBackWaiting(now),
    probeDueOffers(now),
    (after) => signalsFor(state, event)(after),
    tellTroubles(state),
    setWakeUp(now),
  )(state);
}

function changeFor(event: WorkerEvent): Change {
  switch (event.kind) {
    case 'leased':
      return adoptLeases(event);
    case 'item_ended':
      return endItem(event);
    case 'outcome_saved':
      return outcomeSaved(event);
    case 'time_passed':
      return nothing;
    case 'model_swapped':
      // The control plane prefers workers that have a job's model loaded.
      return emit({ kind: 'send_heartbeat' });
    case 'heartbeat_answered':
      return heartbeatAnswered(event);
    case 'heartbeat_failed':
      return heartbeatFailed(event);
    case 'outbox_read':
      return outboxRead(event);
    case 'outbox_writable':
      return set((state) => ({ ...state, outboxWritable: event.writable }));
    case 'report_due':
      return reportDue(event);
    case 'report_answered':
      return reportAnswered(event);
    case 'report_failed':
      return reportFailed(event);
    case 'offers_probed':
      return inOrder(offersProbed(event), fillSlots(event.now));
    case 'server_tested':
      return serverTested(event);
    case 'slots_known':
      return slotsKnown(event);
    case 'offers_found':
      return inOrder(offersFound(event), fillSlots(event.now));
    case 'own_pause':
      return ownPauseChanged(event);
    case 'drain':
      return inOrder(becomes('draining'), leaveAllTasks(event.now));
    case 'grace_over':
    case 'force_quit':
      return abortRuns(() => true, 'the work is no longer wanted');
    case 'stopped':
      return becomes('stopped');
  }
}

/** Starts what only had to wait for its time. Any event may notice that first. */
function fillWhenDue(now: number): Change {
  return (state) => (isAlarmDue(state, now) ? fillSlots(now)(state) : nothing(state));
}

/** Wakes the loops that wait for this change. */
function signalsFor(before: WorkerState, { now }: WorkerEvent): Change {
  return (after) =>
    inOrder(
      (isReadyForWork(after) && !isReadyForWork(before)) || wantsMore(before, after, now)
        ? emit({ kind: 'ask_for_work' })
        : nothing,
      isDone(after) && !isDone(before) ? emit({ kind: 'work_ended' }) : nothing,
    )(after);
}

/** Whether the worker wants work that a request which may be under way does not ask for. */
function wantsMore(before: WorkerState, after: WorkerState, now: number): boolean {
  const wanted = wantedOffers(after, now);
  if (wanted === null) return false;
  // A pause that has ended lets the same state want more than before the alarm.
  const askedAt = isAlarmDue(before, now) ? Math.min(now, (before.wakeAt ?? now) - 1) : now;
  const asked = wantedOffers(before, askedAt) ?? [];
  return wanted.some((offer) => !asked.some((each) => isSameOffer(each, offer)));
}

function isDone({ life, runs }: WorkerState): boolean {
  return life === 'draining' && runs.length === 0;
}
