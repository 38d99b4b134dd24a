import { expect, it } from 'vitest';
import {
  admitted,
  answerTo,
  leased,
  leaseOf,
  type Machine,
  machine,
  succeed,
} from '../testing/worker-fixture.ts';

/** Items of the same lease, as two copies that were granted one after the other. */
const copyOf = (...ids: readonly string[]) =>
  leaseOf('7', 0, { copy: true, items: ids.map((item_id) => ({ item_id, payload: '1' })) });

/** Sends what is due and answers it. Returns the leases that the outbox forgets. */
function report(worker: Machine): readonly unknown[] {
  worker.take({ kind: 'report_due' });
  const { effects } = worker.take({ kind: 'report_answered', replies: new Map() });
  return effects.flatMap((effect) => (effect.kind === 'forget_lease' ? [effect.lease] : []));
}

it('W6: keeps the outcomes of a lease that was granted again while its first report waited', () => {
  const worker = admitted();
  worker.take(leased(copyOf('7a')));
  succeed(worker, '7a');
  worker.take({ kind: 'report_due' });
  worker.take(leased(copyOf('7b')));
  succeed(worker, '7b');
  const { effects } = worker.take({ kind: 'report_answered', replies: new Map() });
  expect(effects.some(({ kind }) => kind === 'forget_lease')).toBe(false);
  expect(report(worker)).toEqual([{ task_id: '7', attempt: 1 }]);
});

it('W6: keeps the outcomes of a lease that a former boot held too', () => {
  const worker = machine();
  worker.take(answerTo(worker.state));
  const outcomes = [{ item_id: '7a', output: '1' }];
  worker.take({ kind: 'outbox_read', recovered: [{ task_id: '7', attempt: 1, items: 2, outcomes }] });
  worker.take(leased(copyOf('7b')));
  expect(report(worker)).toEqual([]);
  succeed(worker, '7b');
  expect(report(worker)).toEqual([{ task_id: '7', attempt: 1 }]);
});
