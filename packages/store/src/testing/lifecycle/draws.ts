import fc from 'fast-check';
import { ITEMS } from './one-task.ts';
import { BOOT, type Call, LONG_AGO, newWorld, step, type World } from './world.ts';

const WORKERS = ['ann', 'bob', 'cem'] as const;

/** One call, still without lease numbers: those depend on the world at that moment. */
export const draw = fc.record({
  type: fc.oneof(
    { weight: 5, arbitrary: fc.constant('lease' as const) },
    { weight: 5, arbitrary: fc.constant('report' as const) },
    { weight: 3, arbitrary: fc.constantFrom('expire', 'fail') },
    { weight: 2, arbitrary: fc.constantFrom('release', 'retry') },
    { weight: 3, arbitrary: fc.constant('renew' as const) },
  ),
  worker: fc.constantFrom(...WORKERS),
  /** Whether the call names the worker that had the lease, or any worker. */
  honest: fc.oneof({ weight: 6, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
  /** How many leases ago the call's lease was granted; -1 for a lease that was never granted. */
  leasesAgo: fc.oneof(
    { weight: 4, arbitrary: fc.constant(0) },
    { weight: 1, arbitrary: fc.integer({ min: -1, max: 3 }) },
  ),
  items: fc.uniqueArray(fc.nat({ max: ITEMS - 1 }), { minLength: 0, maxLength: ITEMS }),
  /** The report names an item that is not in the task. */
  unknownItem: fc.oneof(
    { weight: 12, arbitrary: fc.constant(false) },
    { weight: 1, arbitrary: fc.constant(true) },
  ),
  outcome: fc.constantFrom('ok', 'ok', 'error', 'mixed'),
  /** The renewal comes from the boot that got the lease. */
  sameBoot: fc.oneof(
    { weight: 5, arbitrary: fc.constant(true) },
    { weight: 1, arbitrary: fc.constant(false) },
  ),
  final: fc.boolean(),
  withItems: fc.boolean(),
  /** The lease passes before the call. */
  late: fc.oneof({ weight: 2, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
});
export type Draw = typeof draw extends fc.Arbitrary<infer T> ? T : never;

/** Builds the call of a draw in a world. */
export function callOf(world: World, drawn: Draw): Call {
  const attempt = world.task.attempts - drawn.leasesAgo;
  const worker = drawn.honest ? (world.granted[attempt - 1] ?? drawn.worker) : drawn.worker;
  switch (drawn.type) {
    case 'lease':
      return { type: 'lease', worker: drawn.worker };
    case 'renew':
      return { type: 'renew', worker, boot: drawn.sameBoot ? BOOT : 'other-boot', attempt };
    case 'release':
    case 'fail':
      return { type: drawn.type, worker, attempt };
    case 'report':
      return {
        type: 'report',
        worker,
        attempt,
        items: drawn.unknownItem ? [...drawn.items, ITEMS] : drawn.items,
        outcome: drawn.outcome,
        final: drawn.final,
      };
    case 'expire':
      return { type: 'expire' };
    case 'retry':
      return { type: 'retry', items: drawn.withItems };
  }
}

/** The world after its lease, if any, has passed. */
export function withPassedLease(world: World): World {
  return world.task.status === 'leased' ? { ...world, task: { ...world.task, leaseUntil: LONG_AGO } } : world;
}

/** The world after a history, by core's rules alone. */
export function worldAfter(draws: readonly Draw[], retryOn: 'attempts' | 'errors'): World {
  return draws.reduce<World>(
    (before, drawn) => {
      const world = drawn.late ? withPassedLease(before) : before;
      return step(world, callOf(world, drawn)).world;
    },
    newWorld(ITEMS, retryOn),
  );
}
