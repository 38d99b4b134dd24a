import { expect, it } from 'vitest';
import {
  answered,
  failing,
  type SimulatedServer,
  SimulatedTime,
  simulate,
} from '../testing/simulated-pool.ts';
import { PAUSES } from './pauses.ts';
import { judgeRejection, NO_REJECTIONS } from './rejections.ts';

/** A server that rejects items while `rejects` says so, with the item's name in the error. */
function picky(time: SimulatedTime, rejects: (itemId: string) => boolean): SimulatedServer {
  return {
    call({ itemId, end }) {
      const error = { code: 'invalid_request', message: `no ${itemId}` };
      time.after(50, () =>
        end(rejects(itemId) ? failing('rejected', 'invalid_request', { error }) : answered(itemId)),
      );
    },
  };
}

it('records no error of a server that rejects every item for a while, and says what the server said', () => {
  const time = new SimulatedTime();
  const { outcomes, charged, log, taskErrors } = simulate(
    time,
    picky(time, () => time.now < 20_000),
    [5, 5, 5],
  );
  expect([...outcomes.values()].filter((outcome) => 'error' in outcome)).toEqual([]);
  expect([outcomes.size, charged, taskErrors]).toEqual([15, 3, []]);
  expect(log.find(({ event }) => event === 'endpoint.waits')).toMatchObject({
    code: 'rejects_all_items',
    reason: expect.stringMatching(/rejected every item .*: no 1c$/),
  });
});

it('hands the tasks back and fails few of them on a server that rejects every item', () => {
  const time = new SimulatedTime();
  const { log, calls } = simulate(
    time,
    picky(time, () => true),
    [5, 5, 5],
    {},
    29_000,
  );
  expect(log.some(({ event }) => event === 'task.waits_too_long')).toBe(true);
  expect([...calls.values()].reduce((sum, n) => sum + n, 0)).toBeLessThan(15);
});

it('ends every item with its own error when all are bad and there is no other worker', () => {
  const time = new SimulatedTime();
  const shape = Array.from({ length: 8 }, () => 5);
  const { outcomes, isOver, endedAt, calls, charged } = simulate(
    time,
    picky(time, () => true),
    shape,
  );
  expect(isOver).toBe(true);
  expect(outcomes.size).toBe(40);
  for (const [id, outcome] of outcomes) expect(outcome).toMatchObject({ error: { message: `no ${id}` } });
  expect(endedAt).toBeLessThan(60_000);
  expect(Math.max(...calls.values())).toBeLessThanOrEqual(8);
  expect(charged).toBeLessThanOrEqual(8 + 1);
});

it('decides a few bad items of a server that has answered none within seconds', () => {
  const time = new SimulatedTime();
  const { outcomes, endedAt, calls } = simulate(
    time,
    picky(time, () => true),
    [2],
  );
  expect([...outcomes.values()].every((outcome) => 'error' in outcome)).toBe(true);
  expect(Math.max(...calls.values())).toBe(2);
  expect(endedAt).toBeLessThan(5000);
});

it('decides a rejected item after one call when the server has answered others', () => {
  const time = new SimulatedTime();
  const { outcomes, calls } = simulate(
    time,
    picky(time, (id) => id === '1c'),
    [10],
  );
  expect(outcomes.get('1c')).toMatchObject({ error: { message: 'no 1c' } });
  expect(calls.get('1c')).toBe(1);
});

it('does not take bad items at the start of a job for a server that rejects everything', () => {
  const time = new SimulatedTime();
  const bad = new Set(['1a', '1b', '1c', '1d', '1e', '2a']);
  const { outcomes, isOver, endedAt } = simulate(
    time,
    picky(time, (id) => bad.has(id)),
    [5, 5],
  );
  expect(isOver).toBe(true);
  expect(new Set([...outcomes].filter(([, outcome]) => 'error' in outcome).map(([id]) => id))).toEqual(bad);
  expect(endedAt).toBeLessThan(60_000);
});

it.each([
  ['a copy of a failed task is rejected', true, 'server'],
  ['a failed task comes back at once', false, 'item_error'],
] as const)('judges a rejection when %s', (_when, isCopy, verdict) => {
  const rejected = (n: number, attempt: number, over: object = {}) => ({
    ...{ name: `item-${n}`, taskId: 't', jobId: 'j', attempt, isCopy: false, isSecondTime: false },
    ...over,
  });
  const late = PAUSES.rejectionPatienceMs;
  let { rejections } = judgeRejection(NO_REJECTIONS, false, rejected(1, 1), 0, PAUSES);
  for (const n of [2, 3]) ({ rejections } = judgeRejection(rejections, false, rejected(n, 1), late, PAUSES));
  expect(rejections.failedTasks).toEqual([{ taskId: 't', attempt: 1, at: late }]);
  expect(judgeRejection(rejections, false, rejected(1, 2, { isCopy }), late + 1, PAUSES).verdict).toBe(
    verdict,
  );
});
