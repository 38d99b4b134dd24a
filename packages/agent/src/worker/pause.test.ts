import { expect, it } from 'vitest';
import { admitted, leased, leaseOf } from '../testing/worker-fixture.ts';
import { planHeartbeat } from './heartbeat-plan.ts';

const PAUSE = { since: '2026-01-01T00:00:00Z', until: null, reason: null, by: null };

function afterHeartbeat(drain: boolean) {
  const worker = admitted();
  worker.take(leased(leaseOf('1', 4), leaseOf('2', 2)));
  const plan = planHeartbeat(worker.state);
  const reply = { deployment_id: 'd', lost: [], settled: [], pause: { ...PAUSE, drain } };
  worker.take({ kind: 'heartbeat_answered', plan, sentAt: 0, reply });
  return worker;
}

it('a pause lets the worker finish what it holds', () => {
  const { state } = afterHeartbeat(false);
  expect(state.tasks.map(({ closed }) => closed)).toEqual([false, false]);
});

it('a pause that drains hands back what has not started, and lets running items end', () => {
  const { state } = afterHeartbeat(true);
  expect(state.runs.map(({ item }) => item.item_id)).toEqual(['1a', '1b']);
  expect(state.tasks.every(({ closed, handBack }) => closed && handBack)).toBe(true);
  expect(state.life).toBe('running');
});

it('a second heartbeat of the same pause changes nothing', () => {
  const worker = afterHeartbeat(true);
  const before = worker.state.tasks;
  const reply = { deployment_id: 'd', lost: [], settled: [], pause: { ...PAUSE, drain: true } };
  worker.take({ kind: 'heartbeat_answered', plan: planHeartbeat(worker.state), sentAt: 0, reply });
  expect(worker.state.tasks).toEqual(before);
});
