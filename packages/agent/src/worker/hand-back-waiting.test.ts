import { expect, it } from 'vitest';
import {
  answered,
  failing,
  type SimulatedServer,
  SimulatedTime,
  simulate,
} from '../testing/simulated-pool.ts';
import { admitted, failed, leased, leaseOf, SETTINGS, T0 } from '../testing/worker-fixture.ts';
import { wantedOffers } from './work-wanted.ts';

it('reaches the good tasks of a server that has recovered, though tasks that always fail are leased first', () => {
  const time = new SimulatedTime();
  const bad = new Set(['1a', '2a', '3a', '4a']);
  const server: SimulatedServer = {
    call({ itemId, end }) {
      const fails = bad.has(itemId) || time.now < 90_000;
      time.after(300, () => end(fails ? failing('transient', 'server_error') : answered(itemId)));
    },
  };
  const { outcomes, calls, isOver, endedAt } = simulate(time, server, [1, 1, 1, 1, 1, 1, 1, 1], { slots: 2 });
  expect(isOver).toBe(true);
  expect(new Set(outcomes.keys())).toEqual(new Set(['5a', '6a', '7a', '8a']));
  expect(Math.max(...calls.values())).toBeLessThanOrEqual(20);
  expect(endedAt).toBeLessThan(10 * 60_000);
});

it('hands back what waits for a server in lasting trouble, but for the items that test the server', () => {
  const time = new SimulatedTime();
  const server: SimulatedServer = {
    call: ({ end }) => time.after(300, () => end(failing('transient', 'server_error'))),
  };
  const { log, charged, starts } = simulate(time, server, [5, 5], {}, 600_000);
  const handedBack = log.filter(({ event }) => event === 'task.waits_too_long');
  expect(handedBack.length).toBeGreaterThan(5);
  expect(charged).toBeLessThanOrEqual(2);
  // One test each 30 seconds, and a few at the beginning.
  expect(starts.length).toBeLessThan(40);
});

it('asks for work as soon as the pause of a server is over, though nothing waits for it', () => {
  const worker = admitted({ runtimes: SETTINGS.runtimes.map((runtime) => ({ ...runtime, remote: true })) });
  worker.take(leased(leaseOf('1', 1)));
  const error = { code: 'server_busy', message: 'busy' };
  worker.take(failed(worker.runOf('1a'), 'busy', { failure: 'wait', error, retryAfterMs: 300_000 }));
  expect(worker.state.tasks.every((task) => task.closed)).toBe(true);
  const { wakeAt } = worker.state;
  expect(wantedOffers(worker.state, T0)).toBeNull();
  expect(wakeAt).toBeGreaterThanOrEqual(T0 + 300_000);
  expect(worker.take({ kind: 'time_passed' }, wakeAt ?? 0).effects).toContainEqual({ kind: 'ask_for_work' });
});
