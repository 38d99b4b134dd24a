import { HEARTBEAT_ALIVE_SECONDS } from '@macbatch/core';
import { describe, expect, it } from 'vitest';
import {
  admitted,
  answerTo,
  crashed,
  leased,
  leaseOf,
  machine,
  SETTINGS,
  T0,
} from '../testing/worker-fixture.ts';
import { heartbeatPauseMs, outagePauseMs, planHeartbeat } from './heartbeat-plan.ts';

const missed = { kind: 'heartbeat_failed', reason: 'no answer', idInUse: false } as const;

describe('heartbeatPauseMs', () => {
  it('W1: is the usual pause once the worker is admitted', () => {
    expect(heartbeatPauseMs(admitted().state)).toBe(SETTINGS.heartbeatMs);
  });

  it('W1: is a second while the first heartbeat has no answer, or shorter if the usual pause is', () => {
    const worker = machine();
    worker.take(missed);
    expect(heartbeatPauseMs(worker.state)).toBe(1000);
    expect(heartbeatPauseMs(machine({ heartbeatMs: 200 }).state)).toBe(200);
  });

  it('W2: after a missed heartbeat, is so short that the worker stays alive', () => {
    const worker = admitted();
    worker.take(missed);
    const total = heartbeatPauseMs(admitted().state) + heartbeatPauseMs(worker.state);
    expect(total).toBeLessThan(HEARTBEAT_ALIVE_SECONDS * 1000);
  });

  it('W8: is the usual pause while another machine uses the worker id', () => {
    const worker = machine();
    worker.take({ ...missed, idInUse: true });
    expect(heartbeatPauseMs(worker.state)).toBe(SETTINGS.heartbeatMs);
  });

  it('T3: is a third of the shortest lease that was granted last', () => {
    const worker = admitted();
    worker.take(leased(leaseOf('7', 1, { lease_seconds: 6 })));
    expect(heartbeatPauseMs(worker.state)).toBe(2000);
  });
});

describe('planHeartbeat', () => {
  it('renews held leases and no lost ones', () => {
    const worker = admitted();
    worker.take(leased(leaseOf('7', 1), leaseOf('8', 1)));
    worker.take(answerTo(worker.state, { lost: [{ task_id: '7', attempt: 1, code: 'lease_lost' }] }));
    expect(planHeartbeat(worker.state).renews).toMatchObject([{ task_id: '8', attempt: 1 }]);
  });

  it('names items that run alone, so that no worker gets a copy of them', () => {
    const worker = admitted();
    worker.take(leased(leaseOf('7', 1)));
    worker.take(crashed(worker.runOf('7a')));
    expect(planHeartbeat(worker.state).suspects).toEqual([{ task_id: '7', attempt: 1, item_id: '7a' }]);
  });

  it('W8: returns former boots only after their outcomes are acknowledged', () => {
    const worker = machine({ hasFormerBoots: true });
    expect(planHeartbeat(worker.state).returnsFormerBoots).toBe(false);
    worker.take(answerTo(worker.state));
    worker.take({ kind: 'outbox_read', recovered: [{ task_id: '7', attempt: 1, items: 1, outcomes: [] }] });
    expect(planHeartbeat(worker.state).returnsFormerBoots).toBe(false);
    worker.take({ kind: 'report_due' });
    worker.take({ kind: 'report_answered', replies: new Map() }, T0);
    expect(planHeartbeat(worker.state).returnsFormerBoots).toBe(true);
  });
});

it('looks every second at most for the end of an outage, spread over the workers', () => {
  const { state } = admitted();
  expect([0, 0.5, 1].map((jitter) => outagePauseMs(state, jitter))).toEqual([500, 750, 1000]);
  const heartbeat = { ...state.heartbeat, pauseMs: 400 };
  expect(outagePauseMs({ ...state, heartbeat }, 0)).toBe(200);
});
