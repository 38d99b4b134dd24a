import { expect, it } from 'vitest';
import { admitted, failed, leased, leaseOf, succeeded, T0 } from '../testing/worker-fixture.ts';

const RUNTIMES = ['a', 'b'].map((model) => ({
  name: `server of ${model}`,
  offers: [{ job_type: 'chat' as const, model }],
  remote: true,
}));

it('reports the outcomes of one server immediately while items of another server wait', () => {
  const worker = admitted({ runtimes: RUNTIMES });
  worker.take(leased(leaseOf('1', 2, { model: 'a' })));
  worker.take(
    failed(worker.runOf('1a'), 'connection refused', {
      failure: 'wait',
      error: { code: 'server_unreachable', message: 'connection refused' },
    }),
  );
  expect(worker.state.runs).toEqual([]);
  expect(worker.task('1').queue.length + worker.task('1').retries.length).toBe(2);

  worker.take(leased(leaseOf('2', 1, { model: 'b' })));
  const run = worker.runOf('2a');
  worker.take(succeeded(run, '2a'));
  const { effects } = worker.take({ kind: 'outcome_saved', run });
  expect(effects).toContainEqual({ kind: 'report_at', at: T0 });
});
