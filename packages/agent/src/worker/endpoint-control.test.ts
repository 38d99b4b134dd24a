import { expect, it } from 'vitest';
import {
  answered,
  failing,
  type SimulatedCall,
  type SimulatedServer,
  SimulatedTime,
  simulate,
} from '../testing/simulated-pool.ts';
import { SETTINGS } from '../testing/worker-fixture.ts';

const isOk = (outcome: object) => 'output' in outcome;
const errorsOf = (outcomes: ReadonlyMap<string, object>) =>
  [...outcomes].filter(([, outcome]) => !isOk(outcome)).map(([id]) => id);
const total = (calls: ReadonlyMap<string, number>) => [...calls.values()].reduce((sum, n) => sum + n, 0);

/** A server that answers each item after `ms`. */
function steady(time: SimulatedTime, ms: number): SimulatedServer {
  return { call: ({ itemId, end }) => time.after(ms, () => end(answered(itemId))) };
}

it('starts with one item on a server and doubles up to its slots', () => {
  const time = new SimulatedTime();
  const { starts, outcomes } = simulate(time, steady(time, 1000), [26]);
  const concurrent = [0, 1010, 2020, 3030].map(
    (at) => starts.filter((s) => Math.abs(s.at - at) < 100).length,
  );
  expect(concurrent).toEqual([1, 2, 4, 8]);
  expect(outcomes.size).toBe(26);
});

it('runs a model in this process with all slots from the start', () => {
  const time = new SimulatedTime();
  const { starts } = simulate(time, steady(time, 1000), [8], { runtimes: SETTINGS.runtimes });
  expect(starts.filter(({ at }) => at < 100)).toHaveLength(8);
});

it('runs fewer items when a shared context is full, and fails none', () => {
  const time = new SimulatedTime();
  let active: SimulatedCall[] = [];
  const server: SimulatedServer = {
    call(call) {
      active.push(call);
      // Two fit.
      if (active.length > 2) {
        for (const each of active) each.end(failing('overload', 'context_length_exceeded'));
        active = [];
        return;
      }
      time.after(4400, () => {
        if (!active.includes(call)) return;
        active = active.filter((each) => each !== call);
        call.end(answered(call.itemId));
      });
    },
  };
  const { outcomes, calls, charged } = simulate(time, server, [12, 12]);
  expect([outcomes.size, errorsOf(outcomes)]).toEqual([24, []]);
  expect(total(calls)).toBeLessThan(24 * 1.6);
  expect(charged).toBe(2);
});

it('obeys Retry-After for the whole endpoint: makes at most 1.2 calls per answer', () => {
  const time = new SimulatedTime();
  let restUntil = 0;
  const server: SimulatedServer = {
    call({ itemId, end }) {
      const rests = time.now < restUntil;
      restUntil = time.now + 20_000;
      end(rests ? failing('wait', 'rate_limited', { retryAfterMs: 20_000 }) : answered(itemId));
    },
  };
  const { outcomes, calls } = simulate(time, server, [12]);
  expect([outcomes.size, errorsOf(outcomes)]).toEqual([12, []]);
  expect(total(calls)).toBeLessThanOrEqual(14);
});

it('learns a limit of requests a minute', () => {
  const time = new SimulatedTime();
  let window = { from: 0, used: 0 };
  const server: SimulatedServer = {
    call({ itemId, end }) {
      if (time.now >= window.from + 60_000) window = { from: time.now, used: 0 };
      window.used += 1;
      const retryAfterMs = window.from + 60_000 - time.now;
      const isRefused = window.used > 6;
      time.after(200, () =>
        end(isRefused ? failing('wait', 'rate_limited', { retryAfterMs }) : answered(itemId)),
      );
    },
  };
  const { outcomes, calls, endedAt } = simulate(time, server, [60]);
  expect([outcomes.size, errorsOf(outcomes)]).toEqual([60, []]);
  expect(total(calls)).toBeLessThanOrEqual(72);
  expect(endedAt).toBeLessThan(15 * 60_000);
});

it('charges no item while a server refuses connections, and continues soon after it is back', () => {
  const time = new SimulatedTime();
  let down: boolean = false;
  time.after(5000, () => {
    down = true;
  });
  time.after(13 * 60_000, () => {
    down = false;
  });
  const server: SimulatedServer = {
    call({ itemId, end }) {
      if (down) end(failing('wait', 'server_unreachable'));
      else time.after(1000, () => end(answered(itemId)));
    },
    listsModels: () => !down,
  };
  const { outcomes, starts, charged, log } = simulate(time, server, [20, 20, 20]);
  expect([outcomes.size, errorsOf(outcomes)]).toEqual([60, []]);
  const back = starts.find(({ at }) => at >= 13 * 60_000);
  expect(back?.at).toBeLessThan(13 * 60_000 + 5000);
  expect(charged).toBe(3);
  expect(log.find(({ event }) => event === 'endpoint.waits')).toMatchObject({
    code: 'server_unreachable',
    reason: 'the server says server_unreachable',
  });
});

it('fails no item on a server that never ends a generation, and continues when it recovers', () => {
  const time = new SimulatedTime();
  const server: SimulatedServer = {
    call({ itemId, end }) {
      if (time.now < 600_000) time.after(30_000, () => end(failing('timeout', 'timeout')));
      else time.after(1000, () => end(answered(itemId)));
    },
  };
  const { outcomes, charged, taskErrors } = simulate(time, server, [10, 10]);
  expect([outcomes.size, errorsOf(outcomes), taskErrors]).toEqual([20, [], []]);
  expect(charged).toBe(2);
});

it('ends an item that takes too long with its own error when the server answers others', () => {
  const time = new SimulatedTime();
  const server: SimulatedServer = {
    call({ itemId, end }) {
      if (itemId === '1c') time.after(30_000, () => end(failing('timeout', 'timeout')));
      else time.after(1000, () => end(answered(itemId)));
    },
  };
  const { outcomes, calls } = simulate(time, server, [10]);
  expect([outcomes.size, errorsOf(outcomes)]).toEqual([10, ['1c']]);
  expect(calls.get('1c')).toBeLessThanOrEqual(4);
});

it('fails only the item to blame on a server with one slot that continues after a time-out', () => {
  const time = new SimulatedTime();
  const LIMIT_MS = 4000;
  const queue: { readonly itemId: string; readonly end: SimulatedCall['end'] }[] = [];
  let busy: boolean = false;
  const next = () => {
    const call = queue.shift();
    if (call === undefined) return;
    busy = true;
    time.after(call.itemId === '1b' ? 20_000 : 1000, () => {
      call.end(answered(call.itemId));
      busy = false;
      next();
    });
  };
  const server: SimulatedServer = {
    call({ itemId, end }) {
      queue.push({ itemId, end });
      time.after(LIMIT_MS, () => end(failing('timeout', 'timeout')));
      if (!busy) next();
    },
  };
  const { outcomes, calls, taskErrors } = simulate(time, server, [12]);
  expect([outcomes.size, errorsOf(outcomes), taskErrors]).toEqual([12, ['1b'], []]);
  // With ever longer pauses, 1b is tried for as long as a trouble of the server may last.
  for (const n of calls.values()) expect(n).toBeLessThanOrEqual(7);
});

it('ends an item that alone breaks the connection after at most four calls', () => {
  const time = new SimulatedTime();
  const server: SimulatedServer = {
    call({ itemId, end }) {
      const cuts = itemId === '1b';
      time.after(50, () => end(cuts ? failing('interrupted', 'request_failed') : answered(itemId)));
    },
  };
  const { outcomes, calls, charged, log } = simulate(time, server, [5]);
  expect([outcomes.size, errorsOf(outcomes)]).toEqual([5, ['1b']]);
  expect(calls.get('1b')).toBeLessThanOrEqual(4);
  expect(charged).toBe(1);
  expect(log.filter(({ event }) => event === 'task.not_here')).toEqual([]);
});

it('runs every item of a server that dies under all that run, each alone once', () => {
  const time = new SimulatedTime();
  const active = new Set<SimulatedCall>();
  let upFrom = 0;
  time.after(2500, () => {
    upFrom = time.now + 8000;
    for (const call of active) call.end(failing('interrupted', 'request_failed'));
    active.clear();
  });
  const server: SimulatedServer = {
    call(call) {
      if (time.now < upFrom) {
        call.end(failing('wait', 'server_unreachable'));
        return;
      }
      active.add(call);
      time.after(1000, () => {
        active.delete(call);
        call.end(answered(call.itemId));
      });
    },
    listsModels: () => time.now >= upFrom,
  };
  const { outcomes, charged } = simulate(time, server, [30]);
  expect([outcomes.size, errorsOf(outcomes), charged]).toEqual([30, [], 1]);
});

it('fails no item of a server that answers 500 to everything for a while', () => {
  const time = new SimulatedTime();
  const server: SimulatedServer = {
    call({ itemId, end }) {
      const broken = time.now > 3000 && time.now < 120_000;
      time.after(300, () => end(broken ? failing('transient', 'server_error') : answered(itemId)));
    },
  };
  const { outcomes, charged, taskErrors } = simulate(time, server, [40, 40]);
  expect([outcomes.size, errorsOf(outcomes), taskErrors]).toEqual([80, [], []]);
  expect(charged).toBe(2);
});

it('T6: fails items that a working server cannot run, and gives all others outcomes', () => {
  const time = new SimulatedTime();
  const bad = new Set(['1a', '1b', '1c', '1d']);
  const server: SimulatedServer = {
    call({ itemId, end }) {
      const fails = bad.has(itemId);
      time.after(300, () => end(fails ? failing('transient', 'server_error') : answered(itemId)));
    },
  };
  const { outcomes, calls, taskErrors } = simulate(time, server, [20]);
  expect([outcomes.size, errorsOf(outcomes)]).toEqual([16, []]);
  expect(taskErrors).toHaveLength(3);
  for (const id of bad) expect(calls.get(id)).toBeLessThanOrEqual(16);
});

it('does not withdraw a model because of one item that it cannot run', () => {
  const time = new SimulatedTime();
  const server: SimulatedServer = {
    call({ itemId, end }) {
      const error = { code: 'not_supported', message: 'this model has no eyes' };
      const withdraws = { reach: 'offer', until: 'probe' } as const;
      time.after(300, () => end(itemId === '1c' ? { kind: 'not_here', error, withdraws } : answered(itemId)));
    },
  };
  const { outcomes, taskErrors, calls, log } = simulate(time, server, [10, 10]);
  expect([outcomes.size, taskErrors.length]).toEqual([19, 3]);
  expect(calls.get('1c')).toBeLessThanOrEqual(4);
  expect(log.filter(({ event }) => event === 'task.not_here')).toEqual([]);
});

it('runs all good items although neighbouring bad items make a server look broken', () => {
  const time = new SimulatedTime();
  const bad = new Set(['2a', '2b', '2c']);
  const server: SimulatedServer = {
    call: ({ itemId, end }) =>
      time.after(50, () => end(bad.has(itemId) ? failing('transient', 'server_error') : answered(itemId))),
  };
  const { outcomes, calls, isOver, endedAt } = simulate(time, server, [10, 10, 10, 10]);
  expect(isOver).toBe(true);
  expect(errorsOf(outcomes)).toEqual([]);
  expect([...outcomes.keys()].filter((id) => bad.has(id))).toEqual([]); // their task has failed
  expect(outcomes.size).toBe(37);
  expect(Math.max(...calls.values())).toBeLessThanOrEqual(9);
  expect(endedAt).toBeLessThan(60_000);
});
