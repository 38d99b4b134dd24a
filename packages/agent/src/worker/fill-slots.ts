import { askSlots } from './ask-slots.ts';
import { type Change, emit, forEach, inOrder, log, nothing, type Step, set } from './change.ts';
import { condemned } from './condemned.ts';
import { controlStarted, laneOf } from './endpoint-control.ts';
import {
  placeFor,
  recordName,
  recordOf,
  requestsOn,
  roomOn,
  runtimesFor,
  withControl,
} from './endpoint-runs.ts';
import { isFresh, namesOfFailed } from './fresh-items.ts';
import { type HeldTask, isStartable, type LeasedItem, offerOf, type Suspect, takeItem } from './held-task.ts';
import type { ItemRecord } from './item-record.ts';
import { leaseNameOf } from './lease-key.ts';
import type { Suspicion } from './quarantine.ts';
import { flush } from './reports.ts';
import { needsTest, startTest } from './start-test.ts';
import { runtimeFor } from './work-wanted.ts';
import { isQuarantined, type Run, taskOf, type WorkerState, withTask } from './worker-state.ts';

/**
 * Starts every item that can start. Sends finished outcomes immediately when nothing is left to start, or when all that
 * is left waits for an endpoint: outcomes of one model must not wait for the server of another.
 */
export function fillSlots(now: number): Change {
  return inOrder(startItems(now), (state) =>
    state.runs.length > 0 && state.tasks.some(isStartable) ? nothing(state) : flush(now)(state),
  );
}

/** A suspect waits until the slots are empty and runs alone. Otherwise all held tasks feed the slots. */
function startItems(now: number): Change {
  return (state) => {
    if (isQuarantined(state)) return nothing(state);
    const suspects = state.tasks.filter((task) => task.suspects.length > 0);
    return inOrder(
      forEach(suspects, ({ number }) => confirmLease(number, now)),
      (checked) => {
        const next = nextSuspect(checked, now);
        if (next === null) return startWhatFits(now)(checked);
        if (checked.runs.length > 0) return nothing(checked);
        const { task, suspect } = next;
        const runtime = runtimeFor(checked, offerOf(task), now);
        return startItem(task.number, suspect.item, runtime, suspect.suspicion, now)(checked);
      },
    )(state);
  };
}

/**
 * Starts items where their endpoints have room, oldest task first. An item that has to run alone on its endpoint goes
 * first there, except on an endpoint in trouble: there an item that has not failed shows more.
 */
function startWhatFits(now: number): Change {
  return inOrder(
    (state) => forEach(state.runtimes.keys(), (runtime) => startAlone(runtime, now))(state),
    eachTask((number) => startQueued(number, now), now),
    eachTask((number) => startRetries(number, now), now),
    (state) => forEach(state.runtimes.keys(), (runtime) => startProbe(runtime, now))(state),
  );
}

/** Visits the tasks with items to start until the slots are full. Skips tasks whose endpoint has no room. */
function eachTask(start: (number: number) => Change, now: number): Change {
  return (state) => {
    const full = new Set<string>();
    let step: Step = { state, effects: [] };
    for (const task of state.tasks) {
      if (step.state.runs.length >= state.settings.slots) break;
      const { job_type, model } = task.lease;
      const offer = `${job_type}/${model}`;
      if (!isStartable(task) || full.has(offer)) continue;
      const after = start(task.number)(step.state);
      step = { state: after.state, effects: [...step.effects, ...after.effects] };
      if (placeFor(step.state, offerOf(task), now) === null) full.add(offer);
    }
    return step;
  };
}

/** Starts items of one task that have not run yet, in order. */
function startQueued(number: number, now: number): Change {
  return (state) => {
    const task = taskOf(state, number);
    if (task === undefined || task.queue.length === 0) return nothing(state);
    if (mayHaveExpired(task, now)) return confirmLease(number, now)(state);
    const fresh = namesOfFailed(state).size === 0 ? task.queue : task.queue.filter(isFresh(state, task));
    return forEach(fresh.slice(0, state.settings.slots), (item) => startIfRoom(number, item, now))(state);
  };
}

/** Starts items of one task that run again and need not be alone. */
function startRetries(number: number, now: number): Change {
  return (state) => {
    const task = taskOf(state, number);
    if (task === undefined) return nothing(state);
    const again = itemsToRunAgain(state, task);
    if (again.length === 0) return nothing(state);
    if (mayHaveExpired(task, now)) return confirmLease(number, now)(state);
    return forEach(again, (item) => startIfRoom(number, item, now))(state);
  };
}

/** Items that were put back, or that failed here under another lease of the same task. */
function itemsToRunAgain(state: WorkerState, task: HeldTask): readonly LeasedItem[] {
  if (namesOfFailed(state).size === 0) return task.retries;
  const fresh = isFresh(state, task);
  return [...task.retries, ...task.queue.filter((item) => !fresh(item))];
}

function startIfRoom(number: number, item: LeasedItem, now: number): Change {
  return (state) => {
    const task = taskOf(state, number);
    if (task === undefined || state.runs.length >= state.settings.slots) return nothing(state);
    const place = placeFor(state, offerOf(task), now);
    if (place === null) return nothing(state);
    const { runtime } = place;
    const record = recordOf(state, runtime, recordName(task.lease.task_id, item));
    if (record !== null && (record.alone || record.notBefore > now)) return nothing(state);
    if (runtime !== null) {
      // On an endpoint in trouble, the items that failed take turns.
      if (isInTrouble(state, runtime, offerOf(task).model))
        return record === null ? startItem(number, item, runtime, null, now)(state) : nothing(state);
      // The endpoint becomes idle for an item that has to run alone.
      if (nextAlone(state, runtime, now) !== undefined) return nothing(state);
      if (record !== null && needsTest(state, runtime, offerOf(task), now))
        return startTest(runtime, offerOf(task).model)(state);
    }
    return startItem(number, item, runtime, null, now)(state);
  };
}

/** Starts the next item that has to run alone on an endpoint, if nothing else runs there. */
function startAlone(runtime: number, now: number): Change {
  return (state) => startFailed(runtime, nextAlone(state, runtime, now), now)(state);
}

/** Has an item that failed find out whether an endpoint in trouble works again. */
function startProbe(runtime: number, now: number): Change {
  return (state) => startFailed(runtime, nextProbe(state, runtime, now), now)(state);
}

/** Starts an item that failed, after a test if the server may not be free. */
function startFailed(runtime: number, next: FailedItem | undefined, now: number): Change {
  return (state) => {
    if (next === undefined) return nothing(state);
    const offer = offerOf(next.task);
    return needsTest(state, runtime, offer, now)
      ? startTest(runtime, offer.model)(state)
      : startWhenIdle(runtime, next, now)(state);
  };
}

function startWhenIdle(runtime: number, next: FailedItem, now: number): Change {
  return (state) => {
    if (state.runs.length >= state.settings.slots) return nothing(state);
    if (requestsOn(state, runtime).length > 0) return nothing(state);
    const { task, item } = next;
    if (roomOn(state, runtime, offerOf(task), now) === 0) return nothing(state);
    return startItem(task.number, item, runtime, null, now)(state);
  };
}

interface FailedItem {
  readonly task: HeldTask;
  readonly item: LeasedItem;
  readonly record: ItemRecord;
}

/** The item with the fewest failures that has to run alone on a working runtime and may start now. */
function nextAlone(state: WorkerState, runtime: number, now: number): FailedItem | undefined {
  if (state.runtimes[runtime]?.records.some((record) => record.alone) !== true) return undefined;
  return failedItems(state, runtime, now)
    .filter(({ task, record }) => record.alone && !isInTrouble(state, runtime, offerOf(task).model))
    .toSorted((one, other) => one.record.tries - other.record.tries)[0];
}

/** Of the items that failed on a runtime in trouble, the one whose last failure was first: the items take turns. */
function nextProbe(state: WorkerState, runtime: number, now: number): FailedItem | undefined {
  return failedItems(state, runtime, now)
    .filter(({ task }) => isInTrouble(state, runtime, offerOf(task).model))
    .toSorted((one, other) => one.record.startedAtFailure - other.record.startedAtFailure)[0];
}

/** The items that failed on a runtime and may run there again now. */
function failedItems(state: WorkerState, runtime: number, now: number): readonly FailedItem[] {
  if (state.runtimes[runtime]?.records.length === 0) return [];
  return state.tasks
    .filter((task) => isStartable(task) && !mayHaveExpired(task, now))
    .filter((task) => runtimesFor(state, offerOf(task), now).includes(runtime))
    .flatMap((task) =>
      itemsToRunAgain(state, task).flatMap((item) => {
        const record = recordOf(state, runtime, recordName(task.lease.task_id, item));
        return record !== null && record.notBefore <= now ? [{ task, item, record }] : [];
      }),
    );
}

function isInTrouble({ runtimes }: WorkerState, runtime: number, model: string): boolean {
  const control = runtimes[runtime]?.control;
  return control !== undefined && (control.gate !== null || laneOf(control, model).gate !== null);
}

/** The suspect with the fewest crashes: innocent items run first, and show that the runtime works. */
function nextSuspect(
  state: WorkerState,
  now: number,
): { readonly task: HeldTask; readonly suspect: Suspect } | null {
  const [next] = state.tasks
    .filter((task) => task.suspects.length > 0 && !mayHaveExpired(task, now))
    // A suspect whose endpoint is in trouble does not hold up others.
    .filter((task) => state.runs.length > 0 || placeFor(state, offerOf(task), now) !== null)
    .flatMap((task) => task.suspects.map((suspect) => ({ task, suspect })))
    .toSorted((one, other) => one.suspect.suspicion.crashesAlone - other.suspect.suspicion.crashesAlone);
  return next ?? null;
}

function startItem(
  number: number,
  item: LeasedItem,
  runtime: number | null,
  suspicion: Suspicion | null,
  now: number,
): Change {
  return (state) => {
    const task = taskOf(state, number);
    if (task === undefined) return nothing(state);
    const offer = offerOf(task);
    const control = runtime === null ? undefined : state.runtimes[runtime]?.control;
    const run: Run = {
      number: state.nextNumber,
      task: number,
      item,
      offer,
      runtime,
      suspicion,
      alone: state.runs.length === 0,
      saving: condemned(item, suspicion),
      startedAt: now,
      answeredBefore: control === undefined ? 0 : laneOf(control, offer.model).answered,
      aloneOnRuntime: runtime !== null && requestsOn(state, runtime).length === 0,
      exclusive: recordOf(state, runtime, recordName(task.lease.task_id, item))?.alone === true,
    };
    const others = state.runs.map((other) => ({
      ...other,
      alone: false,
      aloneOnRuntime: other.aloneOnRuntime && other.runtime !== runtime,
    }));
    return inOrder(
      set((before) => ({
        ...withTask(before, takeItem(task, item)),
        runs: [...others, run],
        nextNumber: before.nextNumber + 1,
      })),
      askSlots(runtime, offer.model),
      withControl(runtime, (before) => controlStarted(before, now)),
      run.saving === null
        ? emit({
            kind: 'start_item',
            run: run.number,
            lease: task.lease,
            item,
            runtime: run.runtime,
            alone: suspicion !== null,
          })
        : emit({
            kind: 'save_outcome',
            run: run.number,
            lease: leaseNameOf(task.lease),
            outcome: run.saving,
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
