import { expect, it } from 'vitest';
import {
  abortedRun,
  admitted,
  answerTo,
  failed,
  leased,
  leaseOf,
  type Machine,
  succeed,
  T0,
} from '../testing/worker-fixture.ts';
import { isStartable } from './held-task.ts';
import { PAUSES } from './pauses.ts';
import { finalEntry, isComplete, isSilent, needsRelease, reportableOf } from './reportable.ts';
import { isEnded } from './worker-state.ts';

/** A worker that holds one task and has started as many of its items as it has slots. */
function holding(items: number, slots: number) {
  const worker = admitted({ slots, pauses: { ...PAUSES, retryMs: 0, lonePatienceMs: 0, patienceMs: 0 } });
  worker.take(leased(leaseOf('7', items)));
  return worker;
}

/** Fails every try of an item. */
function fail(worker: Machine, itemId: string, message?: string): void {
  const runs = () => worker.state.runs.some(({ item }) => item.item_id === itemId);
  while (runs()) worker.take(failed(worker.runOf(itemId), message));
}

it('starts items in order, and ends the task when the last one has ended', () => {
  const worker = holding(2, 2);
  expect(worker.state.runs.map(({ item }) => item.item_id)).toEqual(['7a', '7b']);
  expect(isStartable(worker.task('7'))).toBe(false);
  succeed(worker, '7b');
  expect(isEnded(worker.state, worker.task('7'))).toBe(false);
  succeed(worker, '7a');
  expect(isEnded(worker.state, worker.task('7'))).toBe(true);
});

it('T7: reports a task as final when every item has an outcome, in the order of their ends', () => {
  const worker = holding(2, 2);
  succeed(worker, '7b');
  succeed(worker, '7a');
  const task = reportableOf(worker.task('7'));
  expect(finalEntry(task)).toEqual({
    task_id: '7',
    attempt: 1,
    outcomes: [
      { item_id: '7b', output: '1' },
      { item_id: '7a', output: '1' },
    ],
    final: true,
  });
  expect(isComplete(task)).toBe(true);
});

it('T6: gives up a task at its first error and keeps its outcomes', () => {
  const worker = holding(3, 3);
  succeed(worker, '7a');
  fail(worker, '7b', 'first');
  fail(worker, '7c', 'second');
  expect(finalEntry(reportableOf(worker.task('7')))).toEqual({
    task_id: '7',
    attempt: 1,
    outcomes: [{ item_id: '7a', output: '1' }],
    final: false,
    error: { code: 'server_error', message: 'first' },
  });
});

it('T6: runs the rest of a task after several items have failed, so that the others get outcomes', () => {
  const worker = holding(10, 10);
  succeed(worker, '7j');
  for (const itemId of ['7a', '7b', '7c', '7d']) fail(worker, itemId);
  expect(worker.task('7').error).not.toBeNull();
  for (const itemId of ['7e', '7f', '7g', '7h', '7i']) succeed(worker, itemId);
  expect(worker.task('7').outcomes).toHaveLength(6);
});

it('W7: hands a task back with its outcomes and without an error', () => {
  const worker = holding(4, 4);
  succeed(worker, '7a');
  fail(worker, '7b');
  worker.take({ kind: 'drain' });
  for (const itemId of ['7c', '7d']) worker.take(abortedRun(worker.runOf(itemId)));
  const task = reportableOf(worker.task('7'));
  expect(finalEntry(task)).toEqual({
    task_id: '7',
    attempt: 1,
    outcomes: [{ item_id: '7a', output: '1' }],
    final: false,
  });
  expect([isSilent(task), needsRelease(task)]).toEqual([false, true]);
});

it('has nothing to report for a task without an outcome, unless it failed with an error', () => {
  const worker = holding(2, 2);
  expect(isSilent(reportableOf(worker.task('7')))).toBe(true);
  fail(worker, '7a');
  expect(isSilent(reportableOf(worker.task('7')))).toBe(false);
  worker.take(abortedRun(worker.runOf('7b')));
  expect(isSilent(reportableOf(worker.task('7')))).toBe(true);
});

it('W7: aborts what runs, and nothing else', () => {
  const worker = holding(3, 2);
  succeed(worker, '7a');
  worker.take({ kind: 'drain' });
  const { effects } = worker.take({ kind: 'force_quit' }, T0);
  expect(effects.map((effect) => (effect.kind === 'abort_item' ? effect.run : effect.kind))).toEqual([
    worker.runOf('7b'),
    worker.runOf('7c'),
  ]);
});

it('T7: reports a task as final when another worker has reported an item that also has an outcome here', () => {
  const worker = holding(2, 1);
  succeed(worker, '7a');
  worker.take(answerTo(worker.state, { settled: [{ task_id: '7', attempt: 1, item_ids: ['7a'] }] }));
  succeed(worker, '7b');
  expect(finalEntry(reportableOf(worker.task('7')))).toMatchObject({ final: true });
});

it('does not report a copy as final, because the holder has the other items', () => {
  const worker = admitted();
  worker.take(leased(leaseOf('7', 1, { copy: true })));
  succeed(worker, '7a');
  expect(finalEntry(reportableOf(worker.task('7')))).toMatchObject({ final: false });
});

it('T9: reports what was finished under a lost lease and releases nothing', () => {
  const worker = holding(3, 1);
  succeed(worker, '7a');
  worker.take(answerTo(worker.state, { lost: [{ task_id: '7', attempt: 1, code: 'lease_lost' }] }));
  worker.take(abortedRun(worker.runOf('7b')));
  const { effects } = worker.take({ kind: 'report_due' });
  expect(effects).toMatchObject([{ kind: 'send_report', entries: [{ task_id: '7' }], releases: [] }]);
});
