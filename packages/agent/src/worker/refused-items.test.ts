import { expect, it } from 'vitest';
import {
  answered,
  refusing,
  type SimulatedCall,
  type SimulatedServer,
  SimulatedTime,
  simulate,
} from '../testing/simulated-pool.ts';
import { admitted, leased, leaseOf, SETTINGS, T0 } from '../testing/worker-fixture.ts';
import type { ItemEnd } from './item-end.ts';
import { troublesOf } from './troubles.ts';

/** A server that answers each item with its own reply, and others with an output. */
function serverOf(time: SimulatedTime, replyTo: (itemId: string) => ItemEnd | null): SimulatedServer {
  return {
    call: ({ itemId, end }: SimulatedCall) => time.after(100, () => end(replyTo(itemId) ?? answered(itemId))),
  };
}

function runWith(shape: readonly number[], replyTo: (itemId: string) => ItemEnd | null, untilMs = 120_000) {
  const time = new SimulatedTime();
  const run = simulate(time, serverOf(time, replyTo), shape, { slots: 4 }, untilMs);
  return { ...run, withdrawn: run.log.filter(({ event }) => event === 'task.not_here').length };
}

/** Items that ended without an output. */
const bad = ({ outcomes }: { readonly outcomes: ReturnType<typeof runWith>['outcomes'] }) =>
  [...outcomes].flatMap(([id, outcome]) => ('output' in outcome ? [] : [id]));

it('tries other items before it withdraws the model, when the reply may quote the first item', () => {
  const run = runWith([20], (id) => (id === '1a' ? refusing('out_of_memory', 'model') : null));
  expect(run).toMatchObject({ withdrawn: 0, isOver: true });
  expect([...run.outcomes.values()].filter((outcome) => 'output' in outcome)).toHaveLength(19);
  expect(run.calls.get('1a')).toBe(4);
  expect(run.taskErrors).toMatchObject([{}, {}, { code: 'out_of_memory' }]);
});

it.each(['1a', '1k', '1t'])(
  'ends an item with a 403 after two calls at most, if others are answered: %s',
  (one) => {
    const run = runWith([20], (id) => (id === one ? refusing('forbidden', 'runtime') : null));
    expect(run).toMatchObject({ withdrawn: 0, isOver: true, taskErrors: [], charged: 1 });
    expect(bad(run)).toEqual([one]);
    expect(run.calls.get(one)).toBeLessThanOrEqual(2);
  },
);

it.each([
  ['forbidden', 'runtime'],
  ['out_of_memory', 'model'],
] as const)('withdraws a model that refuses three items alike, and charges nobody: %s', (code, reach) => {
  const run = runWith([20], () => refusing(code, reach), 10_000);
  expect(run).toMatchObject({ isOver: false, taskErrors: [], charged: 0 });
  expect(run.starts.filter(({ at }) => at < 5000)).toHaveLength(3);
  expect(run.withdrawn).toBeGreaterThan(0);
});

it('charges nobody while a server refuses every item, and runs all items when it works', () => {
  const run = runWith([6, 6], () => null);
  expect(bad(run)).toEqual([]);
  const time = new SimulatedTime();
  const late: SimulatedServer = {
    call: ({ itemId, end }) => end(time.now < 60_000 ? refusing('out_of_memory', 'model') : answered(itemId)),
  };
  const after = simulate(time, late, [6, 6], { slots: 4 });
  expect(after).toMatchObject({ isOver: true, taskErrors: [], charged: 2 });
  expect(bad(after)).toEqual([]);
});

it('charges nobody when a server that has answered sends only web pages for ten minutes', () => {
  const time = new SimulatedTime();
  const isPortal = () => time.now > 1000 && time.now < 601_000;
  const server: SimulatedServer = {
    listsModels: () => !isPortal(),
    call: ({ itemId, end }) =>
      time.after(200, () => end(isPortal() ? refusing('not_a_model_server', 'runtime') : answered(itemId))),
  };
  const run = simulate(time, server, [10, 10, 10, 10], { slots: 2 });
  expect(run.starts.some(({ at }) => at > 1000 && at < 601_000)).toBe(true);
  expect(run).toMatchObject({ isOver: true, taskErrors: [], charged: 4 });
  expect(bad(run)).toEqual([]);
  for (const [, calls] of run.calls) expect(calls).toBeLessThan(10);
});

it('withdraws the model after one item, when the reply cannot be about the item', () => {
  const missing = refusing('model_not_found', 'model', { mayBeOfItem: false });
  const run = runWith([20], () => missing, 4000);
  expect(run.starts).toHaveLength(1);
  expect(run.withdrawn).toBe(1);
});

it.each([1, 2, 4])(
  'ends a job of %i refused items, when the server answers a request for one token',
  (items) => {
    const run = runWith(
      [items],
      (id) => (id === 'test' ? null : refusing('out_of_memory', 'model')),
      3_600_000,
    );
    expect(run.isOver).toBe(true);
    for (const [, calls] of run.calls) expect(calls).toBeLessThanOrEqual(12);
  },
);

it('never ends a job of one item, when the server refuses a request for one token too', () => {
  const run = runWith([1], () => refusing('out_of_memory', 'model'), 1_200_000);
  expect(run).toMatchObject({ isOver: false, charged: 0, taskErrors: [] });
  expect(run.calls.get('1a')).toBeLessThan(20);
});

it('keeps the words of the server when an open lease request brings a task of a withdrawn model', () => {
  const worker = admitted({ runtimes: SETTINGS.runtimes.map((each) => ({ ...each, remote: true })) });
  worker.take(leased(leaseOf('1', 1)));
  worker.take({ kind: 'item_ended', run: worker.runOf('1a'), end: refusing('out_of_memory', 'model') });
  const said = troublesOf(worker.state, T0);
  expect(said[0]).toMatchObject({ code: 'out_of_memory' });
  worker.take(leased(leaseOf('2', 1)));
  const error = { code: 'not_offered', message: 'chat with m is not offered now' };
  worker.take({ kind: 'item_ended', run: worker.runOf('2a'), end: { kind: 'not_here', error } });
  expect(troublesOf(worker.state, T0)).toEqual(said);
  expect(worker.state.withdrawals.every(({ runtime }) => runtime === 0)).toBe(true);
});

it('runs the other items first, when the first four are refused', () => {
  const refused = new Set(['1a', '1b', '1c', '1d']);
  const run = runWith([20], (id) => (refused.has(id) ? refusing('out_of_memory', 'model') : null), 600_000);
  expect(run.isOver).toBe(true);
  expect([...run.outcomes].filter(([, outcome]) => 'output' in outcome)).toHaveLength(16);
  for (const id of refused) expect(run.calls.get(id)).toBeLessThanOrEqual(12);
});
