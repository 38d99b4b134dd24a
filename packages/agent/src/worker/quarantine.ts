/** After this many crashes alone, the crash is the item's own error. */
export const MAX_CRASHES_ALONE = 3;

/** The runtime is broken after this many different items crashed it alone without a success between the crashes. */
const BROKEN_AFTER_ITEMS = 3;

/** The crash record of one item that was in flight when its runtime's process died. */
export interface Suspicion {
  /** Crashes while nothing else ran on this Mac. */
  readonly crashesAlone: number;
  /** Successes of the runtime when the item became a suspect. */
  readonly successesBefore: number;
}

/**
 * `again`: the item is a suspect and runs again, alone on this Mac.
 * `item_error`: the item crashes the runtime; that is its outcome, here and anywhere.
 * `not_here`: the runtime crashes under every item, so this Mac cannot run it now.
 */
export type CrashVerdict =
  | { readonly kind: 'again'; readonly suspicion: Suspicion }
  | { readonly kind: 'item_error' }
  | { readonly kind: 'not_here' };

/**
 * Decides who is to blame for the crashes of one runtime's process. Every item in flight at a crash becomes a
 * suspect, but only an item that ran alone is charged. So an item that always crashes costs at most four
 * crashes and no neighbour fails with it.
 *
 * If several items crash the runtime without a success between the crashes, the Mac is broken, not the items.
 * Otherwise a broken Mac would fail a whole job.
 */
export interface Quarantine {
  /** Items that succeeded so far. */
  readonly successes: number;
  /** Items that crashed the runtime alone since the last success. */
  readonly crashedAlone: readonly string[];
}

/** The record of a runtime that has not run anything yet. */
export const NO_CRASHES: Quarantine = { successes: 0, crashedAlone: [] };

/** Counts an item that succeeded. */
export function countSuccess({ successes }: Quarantine): Quarantine {
  return { successes: successes + 1, crashedAlone: [] };
}

/** Counts a crash and judges the item `name` that was in flight; `before` is the item's record so far. */
export function countCrash(
  quarantine: Quarantine,
  name: string,
  alone: boolean,
  before: Suspicion | null,
): { readonly quarantine: Quarantine; readonly verdict: CrashVerdict } {
  const crashedAlone =
    alone && !quarantine.crashedAlone.includes(name)
      ? [...quarantine.crashedAlone, name]
      : quarantine.crashedAlone;
  const successesBefore = before?.successesBefore ?? quarantine.successes;
  const crashesAlone = (before?.crashesAlone ?? 0) + (alone ? 1 : 0);
  return {
    quarantine: { ...quarantine, crashedAlone },
    verdict: verdictOf(
      { crashesAlone, successesBefore },
      crashedAlone.length,
      quarantine.successes > successesBefore,
    ),
  };
}

function verdictOf(
  suspicion: Suspicion,
  itemsCrashedAlone: number,
  hasSucceededSince: boolean,
): CrashVerdict {
  if (!hasSucceededSince && itemsCrashedAlone >= BROKEN_AFTER_ITEMS) return { kind: 'not_here' };
  if (suspicion.crashesAlone >= MAX_CRASHES_ALONE) return { kind: 'item_error' };
  return { kind: 'again', suspicion };
}
