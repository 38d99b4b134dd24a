import { expect, it } from 'vitest';
import { admitted, failed, leased, leaseOf, SETTINGS, T0 } from '../testing/worker-fixture.ts';
import { troublesOf } from './troubles.ts';

const SECOND = 1000;
const remote = SETTINGS.runtimes.map((runtime) => ({ ...runtime, remote: true }));

/** A worker whose server has refused a connection at T0. */
function refused(runtimes = remote) {
  const worker = admitted({ runtimes });
  worker.take(leased(leaseOf('7', 2)));
  const error = { code: 'server_unreachable', message: 'refused' };
  const step = worker.take(failed(worker.runOf('7a'), 'refused', { failure: 'wait', error }));
  return { worker, step };
}

it('reports the error of the server for each offer, since when, and when the worker tries again', () => {
  const { worker, step } = refused();
  expect(troublesOf(worker.state, T0 + SECOND)).toEqual(
    ['chat', 'embed'].map((job_type) => ({
      job_type,
      model: 'm',
      endpoint: 'server',
      code: 'server_unreachable',
      message: 'refused',
      since_seconds: 1,
      next_try_seconds: 1,
    })),
  );
  // At once, not with the next heartbeat.
  expect(step.effects).toContainEqual({ kind: 'send_heartbeat' });
  expect(step.effects).toContainEqual(expect.objectContaining({ kind: 'log', event: 'endpoint.waits' }));
});

it('reports no trouble for an offer that another server can run', () => {
  const { worker } = refused([...remote, { name: 'other', offers: remote[0]?.offers ?? [], remote: true }]);
  expect(troublesOf(worker.state, T0)).toEqual([]);
});

it('sends a heartbeat when a trouble ends', () => {
  const { worker } = refused();
  worker.take({ kind: 'time_passed' }, T0 + 3 * SECOND);
  const [run] = worker.state.runs;
  if (run === undefined) throw new Error('nothing runs');
  const outcome = { item_id: run.item.item_id, output: '1' };
  const end = { kind: 'outcome', outcome } as const;
  const { effects } = worker.take({ kind: 'item_ended', run: run.number, end }, T0 + 4 * SECOND);
  expect(troublesOf(worker.state, T0 + 4 * SECOND)).toEqual([]);
  expect(effects).toContainEqual({ kind: 'send_heartbeat' });
});

it.each([
  ['a rate limit of a second', 'rate_limited', 1000, false],
  ['a rate limit of twenty seconds', 'rate_limited', 20_000, true],
  ['a server that is full for twenty seconds', 'server_busy', 20_000, true],
])('sends a heartbeat at once only for a trouble that lasts: %s', (_what, code, retryAfterMs, isSent) => {
  const worker = admitted({ runtimes: remote });
  worker.take(leased(leaseOf('7', 2)));
  const error = { code, message: 'slow down' };
  const { effects } = worker.take(failed(worker.runOf('7a'), '', { failure: 'wait', error, retryAfterMs }));
  expect(effects.some(({ kind }) => kind === 'send_heartbeat')).toBe(isSent);
});

it('sends a heartbeat within ten seconds when a server refuses one request after the other', () => {
  const worker = admitted({ runtimes: remote });
  worker.take(leased(leaseOf('7', 2)));
  const error = { code: 'rate_limited', message: 'slow down' };
  let now = T0;
  for (let isSent = false; !isSent; now = worker.state.wakeAt ?? now) {
    worker.take({ kind: 'time_passed' }, now);
    const [run] = worker.state.runs;
    if (run === undefined) throw new Error('nothing runs');
    const { effects } = worker.take(failed(run.number, '', { failure: 'wait', error }), now);
    isSent = effects.some(({ kind }) => kind === 'send_heartbeat');
    expect(now - T0).toBeLessThan(10 * SECOND);
  }
});
