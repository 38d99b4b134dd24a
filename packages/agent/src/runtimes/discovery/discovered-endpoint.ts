import type { Dispatcher } from 'undici';
import { endpointRuntime } from '../endpoint/openai-endpoint.ts';
import { RunFailure, type Runtime } from '../runtime.ts';
import { afterLook, type KnownServer, NOTHING_KNOWN } from './known-server.ts';
import { lookAt, lookConnections } from './look-at-address.ts';
import { type OfferedNames, offeredNames, offersOf } from './offered-names.ts';
import { SERVER_KINDS, USUAL_SERVER_URLS } from './server-kinds.ts';

export interface DiscoveryConfig {
  /** From an alias that jobs name to the name of a model. It applies to every server that has the model. */
  readonly aliases: Readonly<Record<string, string>>;
  /**
   * Where to look.
   * @default the usual addresses of model servers on this machine
   */
  readonly urls?: readonly string[] | undefined;
}

/** Opens a runtime for each address at which a model server may listen. They offer nothing before they have looked. */
export function discoveredEndpoints(
  { aliases, urls = USUAL_SERVER_URLS }: DiscoveryConfig,
  clock: { now: () => number },
): readonly Runtime[] {
  return urls.map((url) => discoveredEndpoint(url, aliases, clock));
}

function discoveredEndpoint(
  url: string,
  aliases: DiscoveryConfig['aliases'],
  clock: { now: () => number },
): Runtime {
  const { host } = new URL(url);
  let known: KnownServer = NOTHING_KNOWN;
  let names: OfferedNames = new Map();
  let connections: Dispatcher | null = null;
  const listeners: (() => void)[] = [];
  const endpoint = endpointRuntime(
    { url: `${url}/v1` },
    { modelNamed: (alias) => names.get(alias)?.name },
    clock,
  );
  return {
    ...endpoint,
    name: host,
    async run(request) {
      try {
        return await endpoint.run(request);
      } catch (error) {
        if (error instanceof RunFailure && EXPLAINED_BY_LOOK.has(error.failure))
          for (const listener of listeners) listener();
        throw error;
      }
    },
    async slots() {
      const named = await endpoint.slots?.();
      if (named != null || known.server === null) return named ?? null;
      const { usualSlots } = SERVER_KINDS[known.server.kind];
      return usualSlots === null ? null : { count: usualSlots, isLimit: false };
    },
    async look(goneAfterMs) {
      connections ??= lookConnections();
      const sighting = await lookAt(url, known.server?.kind ?? null, connections);
      known = afterLook(known, sighting, { now: clock.now(), goneAfterMs });
      names = offeredNames(known.server?.models ?? [], aliases);
      return {
        name: known.server === null ? host : `${SERVER_KINDS[known.server.kind].name} ${host}`,
        offers: offersOf(names),
        loaded: [...names].flatMap(([name, { loaded }]) => (loaded === true ? [name] : [])),
        isUnsettled: known.isUnsettled,
      };
    },
    onTrouble(listener) {
      listeners.push(listener);
    },
    async close() {
      await Promise.all([endpoint.close(), connections?.destroy()]);
    },
  };
}

/** Failures of a server that may have ended or lost a model. */
const EXPLAINED_BY_LOOK: ReadonlySet<string> = new Set(['wait', 'interrupted', 'not_here']);
