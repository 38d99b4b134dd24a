import type { ConnectionPools } from '@macbatch/connection';
import {
  type CopyPlan,
  HOLDERS_TRIED_FOR_COPIES,
  MAX_TASKS_COPIED,
  planCopies,
  SCHEDULING_CACHE_MS,
} from '@macbatch/core';
import type { LeaseCall, LeaseOffer } from '../leasing/lease-call.ts';
import { groupByTask, type LeasedTask } from '../tasks/leased-tasks.ts';
import type { HolderCache } from './holder-cache.ts';
import { insertCopies } from './insert-copies.ts';
import { lockCopyableTasks } from './lock-copyable-tasks.ts';

/**
 * Gives copies to a worker that found nothing pending. Returns none when the worker is busy or no holder would
 * finish sooner. `nowMs` is the time of a monotonic clock.
 */
export async function grantCopies(
  connections: ConnectionPools,
  holders: HolderCache,
  call: LeaseCall,
  nowMs: number,
): Promise<LeasedTask[]> {
  const holdersOf = await holders.holdersOf(call.offers);
  const loaded = call.offers.filter((offer) => offer.loaded === true);
  const others = call.offers.filter((offer) => offer.loaded !== true);
  for (const offer of [...loaded, ...others]) {
    const copier = {
      worker: call.worker,
      itemsPerSecond: offer.itemsPerSecond ?? null,
      slots: call.slots ?? 1,
    };
    // A worker loads a model for a copy only when the holder may never finish.
    const mustLoad = loaded.length > 0 && offer.loaded !== true;
    const plans = planCopies(holdersOf(offer), copier).filter(({ overdue }) => overdue || !mustLoad);
    for (const plan of plansToTry(plans, call.repeated === true ? nowMs : 0)) {
      const tasks = await copyFrom(connections, call, offer, plan);
      if (tasks.length > 0) return tasks;
    }
  }
  return [];
}

/**
 * The first plans, and one of the rest. A waiting worker tries another one of the rest each second: the first
 * holders may have nothing to copy for a long time.
 */
function plansToTry(plans: readonly CopyPlan[], nowMs: number): CopyPlan[] {
  const first = plans.slice(0, HOLDERS_TRIED_FOR_COPIES - 1);
  const rest = plans.slice(HOLDERS_TRIED_FOR_COPIES - 1);
  const turn = Math.floor(nowMs / SCHEDULING_CACHE_MS) % Math.max(1, rest.length);
  return [...first, ...rest.slice(turn, turn + 1)];
}

function copyFrom(
  connections: ConnectionPools,
  call: LeaseCall,
  { jobType, model }: LeaseOffer,
  { holder, items: maxItems }: CopyPlan,
): Promise<LeasedTask[]> {
  const { worker, boot, leaseMs } = call;
  const maxTasks = Math.min(MAX_TASKS_COPIED, call.limit ?? MAX_TASKS_COPIED);
  return connections.relaxed.transaction(async (tx) => {
    const locked = await lockCopyableTasks.run(tx, { worker, boot, holder, jobType, model, maxTasks });
    if (locked.length === 0) return [];
    const taskIds = locked.map(({ id }) => id);
    const rows = await insertCopies.run(tx, { worker, boot, taskIds, maxItems, leaseMs });
    return groupByTask(rows, { copy: true });
  });
}
