import { expect, it } from 'vitest';
import { goodWorkerFinishes, moves, type Pool, poolOf } from '../testing/pool-model.ts';
import { MAX_ATTEMPTS } from './lease-terms.ts';

/** Number of moves from a new pool. Every sequence of moves is tried. */
const DEPTH = 7;

/** What must hold between a pool and the next one, named by rule. */
const INVARIANTS: Readonly<Record<string, (before: Pool, next: Pool) => boolean>> = {
  'I1, T7: a recorded outcome never changes and never disappears': (before, next) =>
    before.outcomes.every((items, task) =>
      items.every((outcome, item) => outcome === null || next.outcomes[task]?.[item] === outcome),
    ),
  'I1: a task counts its outcomes, and is done exactly when it has all': (_, next) =>
    next.tasks.every((task, n) => {
      const recorded = (next.outcomes[n] ?? []).filter((outcome) => outcome !== null).length;
      return task.outcomeCount === recorded && (task.status === 'done') === (recorded === task.itemCount);
    }),
  'T2: attempts never decrease, and each was granted': (before, next) =>
    next.tasks.every(
      (task, n) =>
        task.attempts >= (before.tasks[n]?.attempts ?? 0) && task.attempts === next.granted[n]?.length,
    ),
  'T9: an outcome comes from a lease of the worker that reported it': (_, next) =>
    next.outcomes.every((items, task) =>
      items.every((outcome) => {
        if (outcome === null) return true;
        const [worker, attempt] = outcome.split('/');
        return next.granted[task]?.[Number(attempt) - 1] === worker;
      }),
    ),
  'T6: a failed task has used its attempts': (_, next) =>
    next.tasks.every((task) => task.status !== 'failed' || task.attempts - task.returns >= MAX_ATTEMPTS),
  'T7: done stays done': (before, next) =>
    before.tasks.every((task, n) => task.status !== 'done' || next.tasks[n]?.status === 'done'),
};

it(`T1-T11: holds every invariant in all sequences of ${DEPTH} moves by two workers, a lossy network and the clock`, () => {
  const start = poolOf([2, 1], ['ann', 'bob']);
  const seen = new Set([JSON.stringify(start)]);
  const broken = new Set<string>();
  const stuck: string[] = [];
  let frontier = [start];
  let moved = 0;
  for (let depth = 0; depth < DEPTH; depth += 1) {
    const reached: Pool[] = [];
    for (const pool of frontier) {
      for (const { name, next } of moves(pool)) {
        moved += 1;
        for (const [invariant, holds] of Object.entries(INVARIANTS))
          if (!holds(pool, next)) broken.add(`${invariant} (${name})`);
        const key = JSON.stringify(next);
        if (seen.has(key)) continue;
        seen.add(key);
        reached.push(next);
        if (!goodWorkerFinishes(next)) stuck.push(key);
      }
    }
    frontier = reached;
  }
  process.stdout.write(`model check: ${seen.size} states and ${moved} moves to depth ${DEPTH}\n`);
  expect([...broken]).toEqual([]);
  expect(stuck).toEqual([]);
});
