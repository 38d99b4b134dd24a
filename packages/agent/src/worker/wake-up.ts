import { type Change, emit, inOrder, nothing, set } from './change.ts';
import { laneOf, roomChangesAt } from './endpoint-control.ts';
import type { Gate } from './gate.ts';
import { isStartable } from './held-task.ts';
import { abortsAt } from './pause-itself.ts';
import type { WorkerState } from './worker-state.ts';

/** Sets the alarm to the next time at which the state changes without an event. */
export function setWakeUp(now: number): Change {
  return (state) => {
    const at = nextChangeAt(state, now);
    if (at === state.wakeAt) return nothing(state);
    return inOrder(
      set((before) => ({ ...before, wakeAt: at })),
      at === null ? nothing : emit({ kind: 'wake_at', at }),
    )(state);
  };
}

/** Whether the time of the last alarm has passed. */
export function isAlarmDue({ wakeAt }: WorkerState, now: number): boolean {
  return wakeAt !== null && now >= wakeAt;
}

/** When the state changes without an event; null if only an event can change it. */
function nextChangeAt(state: WorkerState, now: number): number | null {
  if (state.life === 'draining' || state.life === 'stopped') return null;
  const waits = state.tasks.some(isStartable);
  const abortAt = abortsAt(state);
  const times = [
    ...(abortAt === null ? [] : [abortAt]),
    ...state.runtimes.flatMap(({ control, records, probing }) => [
      ...control.lanes.flatMap(({ model }) => roomChangesAt(control, model, now) ?? []),
      ...(control.gate === null || probing ? [] : [control.gate.until]),
      ...(waits ? records.map(({ notBefore }) => notBefore) : []),
      ...(waits
        ? [control.gate, ...control.lanes.map(({ model }) => laneOf(control, model).gate)].flatMap(holdEnd)
        : []),
    ]),
    ...(state.runtimes.some(({ control }) => [control, ...control.lanes].some(({ gate }) => gate !== null))
      ? state.tasks.filter(isStartable).map(({ leasedAt }) => leasedAt + state.settings.pauses.holdMs)
      : []),
    ...state.withdrawals.filter(({ active }) => active).map(({ until }) => until),
  ].filter((at) => at > now);
  return times.length === 0 ? null : Math.min(...times);

  function holdEnd(gate: Gate | null): readonly number[] {
    return gate === null ? [] : [gate.since + state.settings.pauses.holdMs];
  }
}
