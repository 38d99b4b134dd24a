import { expect, it } from 'vitest';
import {
  answered,
  failing,
  type SimulatedServer,
  SimulatedTime,
  simulate,
} from '../testing/simulated-pool.ts';

const LIMIT_MS = 20_000;

/** A server that never answers some items. With `answersTests` false, it does not answer requests for one token. */
function hangingFor(
  time: SimulatedTime,
  bad: ReadonlySet<string>,
  { limitMs = LIMIT_MS, answersTests = true } = {},
): SimulatedServer {
  return {
    call({ itemId, end }) {
      const hangs = bad.has(itemId) || (itemId === 'test' && !answersTests);
      time.after(hangs ? limitMs : 200, () => end(hangs ? failing('timeout', 'timeout') : answered(itemId)));
    },
  };
}

const SHAPE = [10, 10, 10, 10];

it.each<[string, readonly string[], number, number, number]>([
  ['spread over the job', ['1g', '2i', '4c'], 4, LIMIT_MS, 8],
  ['spread over the job, with one slot', ['1g', '2i', '4c'], 1, LIMIT_MS, 12],
  ['the last ones', ['4h', '4i', '4j'], 4, LIMIT_MS, 14],
  ['the last ones, with one slot', ['4h', '4i', '4j'], 1, LIMIT_MS, 16],
  ['the first ones', ['1a', '1b', '1c'], 4, LIMIT_MS, 24],
  ['spread over the job, with a long limit', ['1g', '2i', '4c'], 4, 900_000, 8],
])('ends items that hang for ever within a few time limits: %s', (_where, ids, slots, limitMs, limits) => {
  const time = new SimulatedTime();
  const bad = new Set(ids);
  const { outcomes, calls, isOver, endedAt, charged } = simulate(
    time,
    hangingFor(time, bad, { limitMs }),
    SHAPE,
    { slots },
    100 * limitMs,
  );
  expect(isOver).toBe(true);
  for (const [id, outcome] of outcomes)
    expect(outcome).toMatchObject(bad.has(id) ? { error: { code: 'timeout' } } : { output: '1' });
  expect(endedAt / limitMs).toBeLessThan(limits);
  expect(Math.max(...calls.values())).toBeLessThanOrEqual(8);
  expect(Math.max(...ids.map((id) => calls.get(id) ?? 0))).toBeLessThanOrEqual(4);
  expect(charged).toBeLessThan(2 * SHAPE.length);
});

it('ends them also on a server that does not answer a request for one token', () => {
  const time = new SimulatedTime();
  const bad = new Set(['4h', '4i', '4j']);
  const server = hangingFor(time, bad, { answersTests: false });
  const { outcomes, isOver, endedAt } = simulate(time, server, SHAPE, { slots: 4 }, 100 * LIMIT_MS);
  expect(isOver).toBe(true);
  expect([...outcomes].filter(([, outcome]) => 'error' in outcome).map(([id]) => id)).toEqual([...bad]);
  expect(endedAt / LIMIT_MS).toBeLessThan(40);
});
