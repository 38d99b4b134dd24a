import type { LeasedTask } from '@macbatch/contract';
import { expect, it } from 'vitest';
import { HeldTask } from './held-task.ts';
import { entryOf, isSilent } from './reportable.ts';

const lease = (items: number): LeasedTask => ({
  task_id: '7',
  job_id: '0198c0de-0000-7000-8000-000000000000',
  attempt: 3,
  lease_seconds: 90,
  job_type: 'noop',
  model: 'noop',
  params: '{}',
  copy: false,
  items: Array.from({ length: items }, (_, n) => ({ item_id: `item-${n}`, payload: `{"n":${n}}` })),
});
const outcome = (n: number) => ({ item_id: `item-${n}`, output: '1' });
const error = (message: string) => ({ code: 'broken', message });

/** Starts the next item; the test fails where there is none. */
function start(task: HeldTask) {
  const started = task.start();
  if (started === null) throw new Error('nothing is left to start');
  return started;
}

it('items are started in order, and the task has ended when the last has stopped', () => {
  const task = new HeldTask(lease(2), 0);
  const [first, second] = [start(task), start(task)];
  expect([first.item.item_id, second.item.item_id]).toEqual(['item-0', 'item-1']);
  expect([task.startable, task.ended, task.start()]).toEqual([false, false, null]);
  task.stopped(second.abort);
  expect(task.ended).toBe(false);
  task.stopped(first.abort);
  expect(task.ended).toBe(true);
});

it('a task whose items all have an outcome is final', () => {
  const task = new HeldTask(lease(2), 0);
  task.outcomes.push(outcome(1), outcome(0));
  expect(entryOf(task)).toEqual({
    task_id: '7',
    attempt: 3,
    outcomes: [outcome(1), outcome(0)],
    final: true,
  });
});

it('a task with an error is given up with the first error, and keeps its outcomes', () => {
  const task = new HeldTask(lease(3), 0);
  task.outcomes.push(outcome(0));
  task.failed(error('first'));
  task.failed(error('second'));
  expect(entryOf(task)).toEqual({
    task_id: '7',
    attempt: 3,
    outcomes: [outcome(0)],
    final: false,
    error: error('first'),
  });
});

it('after three failed items the rest of the task is not started here', () => {
  const task = new HeldTask(lease(10), 0);
  for (const n of [1, 2, 3]) {
    expect(task.startable).toBe(true);
    task.stopped(start(task).abort);
    task.failed(error(`error ${n}`));
  }
  expect([task.startable, task.ended]).toEqual([false, true]);
});

it('a task that is handed back reports its outcomes and no error', () => {
  const task = new HeldTask(lease(3), 0);
  task.outcomes.push(outcome(0));
  task.failed(error('broken'));
  task.handBack = true;
  task.startNoMore();
  expect(task.ended).toBe(true);
  expect(entryOf(task)).toEqual({ task_id: '7', attempt: 3, outcomes: [outcome(0)], final: false });
  expect(isSilent(task)).toBe(false);
});

it('a task of which nothing came has nothing to report, unless an error gave it up', () => {
  const task = new HeldTask(lease(1), 0);
  expect(isSilent(task)).toBe(true);
  task.failed(error('broken'));
  expect(isSilent(task)).toBe(false);
  task.handBack = true;
  expect(isSilent(task)).toBe(true);
});

it('an abort reaches what runs, and only that', () => {
  const task = new HeldTask(lease(3), 0);
  const [stopped, runs] = [start(task), start(task)];
  task.stopped(stopped.abort);
  task.abortRunning();
  expect([stopped.abort.signal.aborted, runs.abort.signal.aborted]).toEqual([false, true]);
  expect(start(task).abort.signal.aborted).toBe(false);
});

it('a suspect is still to be started, but not beside others', () => {
  const task = new HeldTask(lease(1), 0);
  const { item, abort } = start(task);
  const suspect = { item, suspicion: { crashes: 0, successesBefore: 0 } };
  expect(task.suspect(suspect)).toBe(true);
  task.stopped(abort);
  expect([task.startable, task.hasUnsuspected, task.ended, task.start()]).toEqual([true, false, false, null]);
  const again = task.startSuspect(suspect);
  expect([task.suspects, task.startable, task.ended]).toEqual([[], false, false]);
  task.stopped(again);
  expect(task.ended).toBe(true);
});

it('nothing becomes a suspect of a task of which nothing is started any more', () => {
  const task = new HeldTask(lease(2), 0);
  const { item, abort } = start(task);
  task.startNoMore();
  expect(task.suspect({ item, suspicion: { crashes: 0, successesBefore: 0 } })).toBe(false);
  task.stopped(abort);
  expect(task.ended).toBe(true);
});
