import { describe, expect, it } from 'vitest';
import { SimulatedControlPlane } from '../testing/simulated-control-plane.ts';
import {
  answered,
  failing,
  type SimulatedServer,
  SimulatedTime,
  simulate,
  simulatePool,
} from '../testing/simulated-pool.ts';
import { PAUSES } from './pauses.ts';
import { judgeRejection, NO_REJECTIONS, type RejectedItem } from './rejections.ts';

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

it.each([
  [1, 30_000],
  [3, 30_000],
  [3, 200_000],
])(
  'charges no good item while two workers reject everything beside a slow good one: shards of %i, %i ms',
  (size, ms) => {
    const time = new SimulatedTime();
    const slow: SimulatedServer = { call: ({ itemId, end }) => time.after(ms, () => end(answered(itemId))) };
    const broken = () => picky(time, () => true);
    const shape = Array.from({ length: 12 / size }, () => size);
    const { outcomes, isOver, charged, taskErrors } = simulatePool(time, [broken(), broken(), slow], shape, {
      slots: 1,
    });
    expect([...outcomes.values()].filter((outcome) => 'output' in outcome)).toHaveLength(12);
    expect({ isOver, charged, taskErrors }).toEqual({ isOver: true, charged: shape.length, taskErrors: [] });
  },
);

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
  // The third time, the control plane has said that there is no other worker.
  expect(Math.max(...calls.values())).toBe(3);
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

it('T6: an older control plane gives a task that was failed to another worker, or back if there is none', () => {
  const time = new SimulatedTime();
  const shape = Array.from({ length: 8 }, () => 5);
  const control = new SimulatedControlPlane(shape, { isOld: true });
  const { outcomes, isOver, charged } = simulatePool(
    time,
    [picky(time, () => true)],
    shape,
    {},
    3_600_000,
    control,
  );
  expect([isOver, outcomes.size, charged]).toEqual([true, 40, 8 + 1]);
});

describe('a pool with workers whose servers reject every item', () => {
  const good = (time: SimulatedTime, ms: number): SimulatedServer => ({
    call: ({ itemId, end }) => time.after(ms, () => end(answered(itemId))),
  });

  it.each([
    ['one of two', 1, 8000],
    ['three of four', 3, 8000],
    ['three of four, the good one very slow', 3, 90_000],
  ])('T6: charges nobody: %s', (_who, broken, ms) => {
    const time = new SimulatedTime();
    const servers = [...Array.from({ length: broken }, () => picky(time, () => true)), good(time, ms)];
    const run = simulatePool(time, servers, [5, 5, 5, 5, 5, 5], { slots: 1 });
    expect([...run.outcomes.values()].filter((outcome) => 'error' in outcome)).toEqual([]);
    expect([run.isOver, run.outcomes.size, run.taskErrors, run.charged]).toEqual([true, 30, [], 6]);
    expect(Math.max(...run.calls.values())).toBeLessThanOrEqual(4 * broken + 1);
  });

  it('T6: charges nobody for the last items of a job', () => {
    const time = new SimulatedTime();
    const run = simulatePool(time, [picky(time, () => true), good(time, 8000)], [1, 1, 1], { slots: 1 });
    expect([...run.outcomes.values()].filter((outcome) => 'error' in outcome)).toEqual([]);
    expect([run.isOver, run.charged]).toEqual([true, 3]);
  });

  it('ends every item of a bad job with its own error', () => {
    const time = new SimulatedTime();
    const servers = [1, 2, 3].map(() => picky(time, () => true));
    const run = simulatePool(time, servers, [5, 5, 5, 5, 5, 5], { slots: 2 });
    expect([run.isOver, run.outcomes.size, run.taskErrors]).toEqual([true, 30, []]);
    for (const [id, outcome] of run.outcomes)
      expect(outcome).toMatchObject({ error: { message: `no ${id}` } });
    expect(run.endedAt).toBeLessThan(120_000);
  });

  it('tells each item error of a good server apart, beside a broken one', () => {
    const time = new SimulatedTime();
    const bad = new Set(['1a', '3b', '6e']);
    const picks = picky(time, (id) => bad.has(id));
    const run = simulatePool(time, [picky(time, () => true), picks], [5, 5, 5, 5, 5, 5], { slots: 1 });
    expect(new Set([...run.outcomes].flatMap(([id, outcome]) => ('error' in outcome ? [id] : [])))).toEqual(
      bad,
    );
  });
});

describe('a server that has answered items and then rejects every other one', () => {
  /** A server that rejects everything from its 10th request to a time. */
  const failingUntil = (time: SimulatedTime, endMs: number) => {
    let requests = 0;
    return picky(time, () => {
      requests += 1;
      return requests > 10 && time.now < endMs;
    });
  };

  it('charges few of its items', () => {
    const time = new SimulatedTime();
    const { outcomes, isOver } = simulate(time, failingUntil(time, 25_000), [20, 20, 20], { slots: 4 });
    expect([isOver, outcomes.size]).toEqual([true, 60]);
    expect([...outcomes.values()].filter((outcome) => 'error' in outcome).length).toBeLessThan(5);
  });

  it('ends every item when it never answers again and there is no other worker', () => {
    const time = new SimulatedTime();
    const run = simulate(time, failingUntil(time, Infinity), [20, 20, 20], { slots: 4 });
    expect([run.isOver, run.outcomes.size, run.taskErrors]).toEqual([true, 60, []]);
    expect(run.endedAt).toBeLessThan(90_000);
  });

  it('is believed for longer after it has answered again, so that a job of bad items ends soon', () => {
    const time = new SimulatedTime();
    const server = picky(time, (id) => !id.endsWith('t'));
    const shape = Array.from({ length: 30 }, () => 20);
    const { outcomes, isOver, endedAt } = simulate(time, server, shape, { slots: 4 });
    expect([isOver, outcomes.size]).toEqual([true, 600]);
    expect(endedAt).toBeLessThan(180_000);
  });
});

const LATE = PAUSES.rejectionPatienceMs;
const REJECTED: RejectedItem = {
  name: 'item-1',
  taskId: 't',
  jobId: 'j',
  attempt: 1,
  isCopy: false,
  noOtherWorker: undefined,
  leaseAgeMs: 0,
  isSecondTime: false,
  hasFresh: false,
  answeredSince: false,
};

/** Rejects items one after the other, at these times. Returns the verdicts. */
function verdictsOf(hasAnswered: boolean, rejected: readonly (Partial<RejectedItem> & { at?: number })[]) {
  let rejections = NO_REJECTIONS;
  return rejected.map(({ at = 0, ...item }, n) => {
    const judged = judgeRejection(
      rejections,
      hasAnswered,
      { ...REJECTED, name: `item-${n}`, ...item },
      at,
      PAUSES,
    );
    rejections = judged.rejections;
    return judged.verdict;
  });
}

it.each<[string, boolean, readonly (Partial<RejectedItem> & { at?: number })[], string]>([
  ['the server has answered others', true, [{}], 'item_error'],
  ['it is the first one', false, [{}], 'again'],
  ['it is the second one of the same item', false, [{ isSecondTime: true }], 'item_error'],
  [
    'the item is rejected again and another worker may run it',
    false,
    [{ noOtherWorker: false, isSecondTime: true }],
    'left_to_others',
  ],
  ['it is the second one and other items wait', false, [{ isSecondTime: true, hasFresh: true }], 'again'],
  ['the server has answered another item since', false, [{}, {}, { answeredSince: true }], 'item_error'],
  ['it is the third item', false, [{}, {}, {}], 'server'],
  ['another worker may run it, however late', false, [{}, {}, { at: LATE, noOtherWorker: false }], 'server'],
  ['no other worker can run it', false, [{}, {}, { noOtherWorker: true }], 'server'],
  ['no other worker can run it, late', false, [{}, {}, { at: LATE, noOtherWorker: true }], 'item_error'],
  [
    'no other worker could run it when it was leased, long ago',
    false,
    [{}, {}, { at: LATE, noOtherWorker: true, leaseAgeMs: LATE }],
    'left_to_others',
  ],
  [
    'another worker may run a task of a job that had no other',
    false,
    [{}, {}, { at: LATE, noOtherWorker: true }, { at: LATE, noOtherWorker: false }],
    'left_to_others',
  ],
  [
    'a task that was left to others has not come back',
    false,
    [
      ...[{}, {}, { at: LATE, noOtherWorker: true }, { at: LATE, noOtherWorker: false }],
      { at: 2 * LATE, noOtherWorker: false },
    ],
    'server',
  ],
  ['an older control plane may have another worker', false, [{}, {}, { at: LATE }], 'task_failed'],
  [
    'a failed task comes back at once',
    false,
    [{}, {}, { at: LATE }, { at: LATE + 1, attempt: 2 }],
    'item_error',
  ],
  [
    'a copy of a failed task is rejected',
    false,
    [{}, {}, { at: LATE }, { at: LATE + 1, attempt: 2, isCopy: true }],
    'server',
  ],
])('judges a rejection when %s', (_when, hasAnswered, rejected, verdict) => {
  expect(verdictsOf(hasAnswered, rejected).at(-1)).toBe(verdict);
});
