import { describe, expect, it } from 'vitest';
import { admitted, leased, leaseOf, T0 } from '../testing/worker-fixture.ts';
import type { Step } from './change.ts';
import { planHeartbeat } from './heartbeat-plan.ts';
import { wantedOffers } from './work-wanted.ts';

const PAUSE = { since: '2026-01-01T00:00:00Z', until: null, reason: null, rule: null, by: null };

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

describe('a pause of its own', () => {
  const PAUSE = { rule: 'on_battery', reason: 'on battery (78 %)' };

  function paused() {
    const worker = admitted();
    worker.take(leased(leaseOf('1', 4), leaseOf('2', 2)));
    const { effects } = worker.take({ kind: 'own_pause', pause: PAUSE });
    return { worker, kinds: effects.map(({ kind }) => kind) };
  }
  const kindsOf = ({ effects }: Step) => effects.map(({ kind }) => kind);

  it('hands back what has not started, lets running items go on, and tells the control plane', () => {
    const { worker, kinds } = paused();
    expect(worker.state.tasks.every(({ closed, handBack }) => closed && handBack)).toBe(true);
    expect(kinds).toContain('send_heartbeat');
    expect(kinds).not.toContain('abort_item');
    expect(wantedOffers(worker.state, T0)).toBeNull();
  });

  it('gives up after 30 seconds what still runs, once', () => {
    const { worker } = paused();
    expect(kindsOf(worker.take({ kind: 'time_passed' }, T0 + 29_999))).not.toContain('abort_item');
    const aborted = kindsOf(worker.take({ kind: 'time_passed' }, T0 + 30_000));
    expect(aborted.filter((kind) => kind === 'abort_item')).toHaveLength(2);
    expect(kindsOf(worker.take({ kind: 'time_passed' }, T0 + 40_000))).not.toContain('abort_item');
  });

  it('keeps its beginning when the reason changes, and changes nothing else', () => {
    const { worker } = paused();
    const { ownPause } = worker.state;
    const other = { ...PAUSE, reason: 'on battery (77 %)' };
    expect(worker.take({ kind: 'own_pause', pause: other }, T0 + 5000).effects).toEqual([]);
    expect(worker.state.ownPause).toEqual({ ...ownPause, ...other });
  });

  it('hands back a task whose grant was under way', () => {
    const worker = admitted();
    worker.take({ kind: 'own_pause', pause: PAUSE });
    worker.take(leased(leaseOf('1', 4)));
    expect(worker.state.runs).toEqual([]);
    expect(worker.task('1')).toMatchObject({ closed: true, handBack: true });
  });

  it('ends with a request for work', () => {
    const worker = admitted();
    worker.take({ kind: 'own_pause', pause: PAUSE });
    const kinds = kindsOf(worker.take({ kind: 'own_pause', pause: null }));
    expect(kinds).toEqual(expect.arrayContaining(['send_heartbeat', 'ask_for_work']));
    expect(worker.take({ kind: 'own_pause', pause: null }).effects).toEqual([]);
  });
});
