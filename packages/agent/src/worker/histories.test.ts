import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Draw, draws, happeningOf, type Outside } from '../testing/random-history.ts';
import { WatchedWorker } from '../testing/watch-worker.ts';
import { SETTINGS, T0 } from '../testing/worker-fixture.ts';
import { planHeartbeat } from './heartbeat-plan.ts';
import type { RecoveredTask } from './reportable.ts';
import { initialState } from './worker-state.ts';

const RUNS = 2000;
/** More rounds than any history needs until nothing changes. */
const MAX_ROUNDS = 300;

const settings = fc.record({
  slots: fc.integer({ min: 1, max: 4 }),
  hasFormerBoots: fc.boolean(),
  remote: fc.boolean(),
});

const recovered: fc.Arbitrary<readonly RecoveredTask[]> = fc.array(
  fc.record({
    task_id: fc.constantFrom('900', '901'),
    attempt: fc.constant(1),
    items: fc.constantFrom(2, Number.POSITIVE_INFINITY),
    outcomes: fc.constantFrom([], [{ item_id: 'old', output: '1' }]),
  }),
  { maxLength: 1 },
);

/** A worker after its first heartbeat, and the outcomes that an earlier process left in its outbox. */
function started(
  {
    remote,
    ...given
  }: { readonly slots: number; readonly hasFormerBoots: boolean; readonly remote: boolean },
  left: readonly RecoveredTask[],
): WatchedWorker {
  const worker = new WatchedWorker(
    initialState({
      ...SETTINGS,
      ...given,
      runtimes: SETTINGS.runtimes.map((runtime) => ({ ...runtime, remote })),
    }),
  );
  answerHeartbeat(worker, T0);
  worker.take({ kind: 'outbox_read', recovered: left }, T0);
  return worker;
}

function answerHeartbeat(worker: WatchedWorker, now: number): void {
  const reply = { deployment_id: 'here', lost: [], settled: [] };
  worker.take({ kind: 'heartbeat_answered', plan: planHeartbeat(worker.state), sentAt: now, reply }, now);
}

function live(worker: WatchedWorker, history: readonly Draw[]): Outside {
  const outside: Outside = { now: T0, leases: 0, heartbeat: null };
  for (const draw of history) {
    const happening = happeningOf(draw, worker.state, outside);
    if (happening !== null) worker.take(happening, outside.now);
  }
  return outside;
}

/** Everybody answers and every item succeeds, until the worker holds nothing. */
function comeToRest(worker: WatchedWorker, start: number): void {
  let now = start;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const { tasks, runs, reports, wakeAt } = worker.state;
    if (tasks.length + runs.length + reports.waiting.length === 0) return;
    now = Math.max(now, wakeAt ?? now);
    answerHeartbeat(worker, now);
    worker.take({ kind: 'time_passed' }, now);
    for (const { number, item, saving } of worker.state.runs) {
      const outcome = { item_id: item.item_id, output: '1' };
      if (saving === null)
        worker.take({ kind: 'item_ended', run: number, end: { kind: 'outcome', outcome } }, now);
      worker.take({ kind: 'outcome_saved', run: number }, now);
    }
    for (const [runtime, { testing }] of worker.state.runtimes.entries()) {
      const test = worker.state.nextNumber - 1;
      const tested = { kind: 'server_tested', runtime, model: 'm', test, works: true } as const;
      if (testing) worker.take(tested, now);
    }
    worker.take({ kind: 'report_due' }, now);
    worker.take({ kind: 'report_answered', replies: new Map() }, now);
  }
  throw new Error(`the worker does not come to rest: ${JSON.stringify(worker.state)}`);
}

it('W6, W7: keeps its promises in random histories, and loses no finished outcome', () => {
  fc.assert(
    fc.property(settings, recovered, draws, (given, left, history) => {
      const worker = started(given, left);
      const { now } = live(worker, history);
      comeToRest(worker, now);
      expect(worker.unacknowledged).toEqual([]);
      expect(worker.workEnded).toBe(worker.state.life === 'draining' ? 1 : 0);
    }),
    { numRuns: RUNS },
  );
});

it('W7: holds no task after a drain at any point of a history', () => {
  fc.assert(
    fc.property(settings, draws, (given, history) => {
      const worker = started(given, []);
      const { now } = live(worker, history);
      if (worker.state.life !== 'draining') worker.take({ kind: 'drain' }, now);
      worker.take({ kind: 'grace_over' }, now);
      for (const { number, saving } of worker.state.runs) {
        worker.take(
          saving === null
            ? { kind: 'item_ended', run: number, end: { kind: 'aborted' } }
            : { kind: 'outcome_saved', run: number },
          now,
        );
      }
      expect(worker.state.runs).toEqual([]);
      expect(worker.workEnded).toBe(1);
      comeToRest(worker, now);
      expect(worker.unacknowledged).toEqual([]);
    }),
    { numRuns: RUNS / 4 },
  );
});
