import type { FoundModel } from './found-model.ts';
import type { Sighting } from './look-at-address.ts';
import type { ServerKindName } from './server-kinds.ts';

/** What is known of an address after some looks. Times are in milliseconds. */
export interface KnownServer {
  /** The server whose models are offered; null if there is none. */
  readonly server: { readonly kind: ServerKindName; readonly models: readonly FoundModel[] } | null;
  /** Since when the server is not found any more; null while it is. */
  readonly missingSince: number | null;
  /** Why the address has no models, or may lose them; null if there is no reason. */
  readonly problem: string | null;
  /** The server starts or may have ended. */
  readonly isUnsettled: boolean;
}

export const NOTHING_KNOWN: KnownServer = {
  server: null,
  missingSince: null,
  problem: null,
  isUnsettled: false,
};

/**
 * Updates what is known with a new look. A server that loads its model or is too busy to answer keeps its models. One
 * that is missed keeps them for `goneAfterMs`: it may be restarted.
 */
export function afterLook(
  known: KnownServer,
  sighting: Sighting,
  { now, goneAfterMs }: { readonly now: number; readonly goneAfterMs: number },
): KnownServer {
  if (sighting.seen === 'silence')
    return { ...known, problem: 'it accepts connections and does not answer', isUnsettled: false };
  const identity = sighting.seen === 'nothing' ? null : sighting.identity;
  if (identity !== null && identity.kind !== null) {
    const { kind, models, isLoading } = identity;
    return isLoading
      ? { server: known.server, missingSince: null, problem: 'it loads its model', isUnsettled: true }
      : { ...NOTHING_KNOWN, server: { kind, models } };
  }
  const problem = identity?.problem ?? null;
  const missingSince = known.missingSince ?? now;
  return known.server === null || now - missingSince >= goneAfterMs
    ? { ...NOTHING_KNOWN, problem }
    : { server: known.server, missingSince, problem, isUnsettled: true };
}
