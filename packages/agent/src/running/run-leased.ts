import { messageOf } from '@macbatch/core';
import type { Sleep } from '../loops/backoff.ts';
import type { Runtime } from '../runtimes/runtime.ts';
import type { HeldTask, LeasedItem } from '../worker/held-task.ts';
import type { Quarantine } from '../worker/quarantine.ts';
import { type ItemEnd, runItem } from './item-run.ts';

/** An item of a lease, and what is to run it. */
export interface LeasedRun {
  readonly task: Pick<HeldTask, 'lease'>;
  readonly item: LeasedItem;
  readonly abort: AbortController;
  /** Undefined where nothing here offers it any more. */
  readonly runtime: Runtime | undefined;
  readonly quarantine: Quarantine;
}

/** Runs one item as it was leased: its texts are read only now. Never rejects. */
export async function runLeased(run: LeasedRun, sleep: Sleep): Promise<ItemEnd> {
  const { task, item, abort, runtime, quarantine } = run;
  const { job_type, model, params } = task.lease;
  if (runtime === undefined) {
    return {
      kind: 'not_here',
      error: { code: 'not_offered', message: `${job_type} with ${model} is not offered now` },
    };
  }
  let parsed: { params: Record<string, unknown>; payload: unknown };
  try {
    parsed = { params: JSON.parse(params), payload: JSON.parse(item.payload) };
  } catch (error) {
    // The control plane has parsed both; it must be one that knows other rules.
    const unreadable = { code: 'invalid_payload', message: `not readable here: ${messageOf(error)}` };
    return { kind: 'outcome', outcome: { item_id: item.item_id, error: unreadable } };
  }
  return runItem(
    runtime,
    item.item_id,
    { job_type, model, ...parsed, signal: abort.signal },
    { sleep, successes: () => quarantine.successes, onSuccess: () => quarantine.succeeded() },
  );
}
