import { type Change, emit, forEach, inOrder, log, nothing, set } from './change.ts';
import { type HeldTask, isStartable, type LeasedItem, offerOf, type Suspect, takeItem } from './held-task.ts';
import type { Suspicion } from './quarantine.ts';
import { flush } from './reports.ts';
import { runtimeFor } from './work-wanted.ts';
import { isQuarantined, type Run, taskOf, type WorkerState, withTask } from './worker-state.ts';

/** Starts every item that can start. When nothing is left to start, sends finished outcomes immediately. */
export function fillSlots(now: number): Change {
  return inOrder(startItems(now), (state) =>
    state.tasks.some(isStartable) ? nothing(state) : flush(now)(state),
  );
}

/** All held tasks feed the slots, oldest first. A suspect waits until the slots are empty and runs alone. */
function startItems(now: number): Change {
  return (state) => {
    if (isQuarantined(state)) return nothing(state);
    const suspects = state.tasks.filter((task) => task.suspects.length > 0);
    return inOrder(
      forEach(suspects, ({ number }) => confirmLease(number, now)),
      (checked) => {
        const next = nextSuspect(checked, now);
        if (next === null)
          return forEach(tasksToStart(checked, now), (number) => startQueued(number, now))(checked);
        if (checked.runs.length > 0) return nothing(checked);
        const { task, suspect } = next;
        return startItem(task.number, suspect.item, suspect.suspicion, now)(checked);
      },
    )(state);
  };
}

/** Numbers of the tasks that have enough items for the free slots, oldest first. Expired leases count as no items. */
function tasksToStart({ tasks, runs, settings }: WorkerState, now: number): readonly number[] {
  let room = settings.slots - runs.length;
  const numbers: number[] = [];
  for (const task of tasks) {
    if (room <= 0) break;
    if (task.queue.length === 0) continue;
    numbers.push(task.number);
    if (!mayHaveExpired(task, now)) room -= task.queue.length;
  }
  return numbers;
}

/** Starts items of one task, in order, until the slots are full. */
function startQueued(number: number, now: number): Change {
  return (state) => {
    const task = taskOf(state, number);
    const room = state.settings.slots - state.runs.length;
    if (task === undefined || task.queue.length === 0 || room <= 0) return nothing(state);
    if (mayHaveExpired(task, now)) return confirmLease(number, now)(state);
    return forEach(task.queue.slice(0, room), (item) => startItem(number, item, null, now))(state);
  };
}

/** The suspect with the fewest crashes: innocent items run first, and show that the runtime works. */
function nextSuspect(
  { tasks }: WorkerState,
  now: number,
): { readonly task: HeldTask; readonly suspect: Suspect } | null {
  const [next] = tasks
    .filter((task) => !mayHaveExpired(task, now))
    .flatMap((task) => task.suspects.map((suspect) => ({ task, suspect })))
    .toSorted((one, other) => one.suspect.suspicion.crashesAlone - other.suspect.suspicion.crashesAlone);
  return next ?? null;
}

function startItem(number: number, item: LeasedItem, suspicion: Suspicion | null, now: number): Change {
  return (state) => {
    const task = taskOf(state, number);
    if (task === undefined) return nothing(state);
    const offer = offerOf(task);
    const run: Run = {
      number: state.nextNumber,
      task: number,
      item,
      offer,
      runtime: runtimeFor(state, offer, now),
      suspicion,
      alone: state.runs.length === 0,
      saving: null,
    };
    const others = state.runs.map((other) => (other.alone ? { ...other, alone: false } : other));
    return inOrder(
      set((before) => ({
        ...withTask(before, takeItem(task, item)),
        runs: [...others, run],
        nextNumber: before.nextNumber + 1,
      })),
      emit({
        kind: 'start_item',
        run: run.number,
        lease: task.lease,
        item,
        runtime: run.runtime,
        alone: suspicion !== null,
      }),
    )(state);
  };
}

/** The lease may have expired: this machine slept, or the lease came at the end of a long wait. */
function mayHaveExpired({ trustedUntil }: HeldTask, now: number): boolean {
  return now > trustedUntil;
}

/** Has a heartbeat ask whether a lease that may have expired still holds. Nothing of the task starts before the answer. */
function confirmLease(number: number, now: number): Change {
  return (state) => {
    const task = taskOf(state, number);
    if (task === undefined || task.possiblyExpired || !mayHaveExpired(task, now)) return nothing(state);
    const { task_id, attempt } = task.lease;
    return inOrder(
      set((before) => withTask(before, { ...task, possiblyExpired: true })),
      log('lease.doubted', { task_id, attempt }),
      emit({ kind: 'send_heartbeat' }),
    )(state);
  };
}
