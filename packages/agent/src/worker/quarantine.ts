/** Crashes of the runtime under one item that ran alone, at which they are the item's own error. */
const FINAL_CRASHES = 3;

/** Different items that crash a runtime alone, with nothing that ran well between: then it is not the items. */
const BROKEN_AFTER_ITEMS = 3;

/** What is held against an item that was in flight when its runtime's process died. */
export interface Suspicion {
  /** Times that it crashed the runtime with nothing else running on this Mac. */
  readonly crashes: number;
  /** What had run well here when it became a suspect. */
  readonly successesBefore: number;
}

/**
 * `again`: it is a suspect and runs again, alone on this Mac.
 * `item_error`: it is what crashes the runtime; that is its outcome, here and anywhere.
 * `not_here`: the runtime dies under everything: this Mac can't run it now.
 */
export type CrashVerdict =
  | { readonly kind: 'again'; readonly suspicion: Suspicion }
  | { readonly kind: 'item_error' }
  | { readonly kind: 'not_here' };

/**
 * Who pays for the crashes of one runtime's process. A crash names everything that was in flight, and that
 * proves nothing: only an item that was alone on this Mac is charged, the others are suspects until they have
 * run alone. So an item that always crashes costs four crashes at most, and no neighbour fails with it.
 *
 * Nobody else is asked: what crashes three times by itself is taken for the item's fault. Unless this runtime
 * has crashed under several items and run nothing since, which is a broken Mac that would fail a whole job.
 */
export class Quarantine {
  #successes = 0;
  /** Items that crashed it alone since anything ran well. */
  readonly #crashers = new Set<string>();

  /** Items that ran well so far. */
  get successes(): number {
    return this.#successes;
  }

  succeeded(): void {
    this.#successes += 1;
    this.#crashers.clear();
  }

  /** Judges the item `name` that was in flight at a crash; `before` is what was already held against it. */
  crashed(name: string, alone: boolean, before: Suspicion | null): CrashVerdict {
    const successesBefore = before?.successesBefore ?? this.#successes;
    const crashes = (before?.crashes ?? 0) + (alone ? 1 : 0);
    if (alone) this.#crashers.add(name);
    const wellSince = this.#successes > successesBefore;
    if (!wellSince && this.#crashers.size >= BROKEN_AFTER_ITEMS) return { kind: 'not_here' };
    if (crashes >= FINAL_CRASHES) return { kind: 'item_error' };
    return { kind: 'again', suspicion: { crashes, successesBefore } };
  }
}
