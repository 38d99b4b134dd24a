import { expect, it } from 'vitest';
import { leaseOf, machine, T0 } from '../testing/worker-fixture.ts';
import type { Happening } from './event.ts';
import { offeredNow, wantedOffers } from './work-wanted.ts';

const found = (...models: readonly string[]): Happening => ({
  kind: 'offers_found',
  runtime: 0,
  name: 'vLLM 127.0.0.1:8000',
  offers: models.map((model) => ({ job_type: 'chat', model })),
});

/** A worker whose only server is discovered, admitted by the control plane. */
function discovering() {
  const worker = machine({ runtimes: [{ name: '127.0.0.1:8000', offers: [], remote: true }] });
  worker.take({
    kind: 'heartbeat_answered',
    plan: { renews: [], suspects: [], returnsFormerBoots: false },
    sentAt: T0,
    reply: { deployment_id: 'here', lost: [], settled: [] },
  });
  worker.take({ kind: 'outbox_read', recovered: [] });
  return worker;
}

const kinds = ({ effects }: { readonly effects: readonly { readonly kind: string }[] }) =>
  effects.map(({ kind }) => kind);

it('offers what was found, tells the control plane and asks for work', () => {
  const worker = discovering();
  expect(wantedOffers(worker.state, T0)).toBeNull();
  expect(kinds(worker.take(found('m')))).toEqual(
    expect.arrayContaining(['log', 'send_heartbeat', 'ask_for_work']) as string[],
  );
  expect(wantedOffers(worker.state, T0)).toEqual([{ job_type: 'chat', model: 'm' }]);
});

it('does nothing when the same models are found again', () => {
  const worker = discovering();
  worker.take(found('m', 'n'));
  expect(kinds(worker.take(found('n', 'm')))).toEqual([]);
});

it('offers a model no more that is gone, and hands back what waits for it', () => {
  const worker = discovering();
  worker.take(found('m'));
  worker.take({ kind: 'leased', tasks: [leaseOf('7', 2)], sentAt: T0 });
  const run = worker.runOf('7a');
  worker.take(found('n'));
  expect(offeredNow(worker.state, T0)).toEqual([{ job_type: 'chat', model: 'n' }]);
  const error = { code: 'not_offered', message: 'gone' };
  worker.take({ kind: 'item_ended', run, end: { kind: 'not_here', error } });
  for (const { number } of worker.state.runs)
    worker.take({ kind: 'item_ended', run: number, end: { kind: 'not_here', error } });
  expect(worker.state.tasks).toMatchObject([{ handBack: true, error: null, queue: [], retries: [] }]);
  // It was withdrawn because it was not offered. That is over when the model is back.
  worker.take(found('n', 'm'));
  expect(wantedOffers(worker.state, T0)).toContainEqual({ job_type: 'chat', model: 'm' });
});

it('makes an offer again at once that was withdrawn before the model was gone', () => {
  const worker = discovering();
  worker.take(found('m'));
  worker.take({ kind: 'leased', tasks: [leaseOf('7', 1)], sentAt: T0 });
  const end = {
    kind: 'not_here',
    error: { code: 'model_not_found', message: 'gone' },
    withdraws: { reach: 'model', until: 'probe' },
  } as const;
  worker.take({ kind: 'item_ended', run: worker.runOf('7a'), end });
  expect(wantedOffers(worker.state, T0)).toBeNull();
  worker.take(found());
  worker.take(found('m'));
  expect(wantedOffers(worker.state, T0)).toEqual([{ job_type: 'chat', model: 'm' }]);
});

it('forgets the trouble of a server that has gone', () => {
  const worker = discovering();
  worker.take(found('m'));
  worker.take({ kind: 'leased', tasks: [leaseOf('7', 1)], sentAt: T0 });
  worker.take({
    kind: 'item_ended',
    run: worker.runOf('7a'),
    end: {
      kind: 'failed',
      failure: 'wait',
      error: { code: 'server_unreachable', message: 'refused' },
      retryAfterMs: null,
      bytesArrived: false,
      jitter: 0,
    },
  });
  expect(offeredNow(worker.state, T0)).toEqual([]);
  worker.take(found());
  worker.take(found('m'));
  expect(offeredNow(worker.state, T0)).toEqual([{ job_type: 'chat', model: 'm' }]);
});
