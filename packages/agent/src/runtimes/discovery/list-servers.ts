import type { DiscoveryConfig } from './discovered-endpoint.ts';
import type { FoundModel } from './found-model.ts';
import { afterLook, NOTHING_KNOWN } from './known-server.ts';
import { lookAt, lookConnections } from './look-at-address.ts';
import { offeredNames } from './offered-names.ts';
import { SERVER_KINDS, USUAL_SERVER_URLS } from './server-kinds.ts';

/** A model of a server on this machine, with the names under which a worker would offer it. */
interface ListedModel extends FoundModel {
  readonly names: readonly string[];
}

/** Something that listens where a model server may. */
export interface ListedServer {
  readonly url: string;
  /** What it calls itself; null if it is no model server that macbatch knows. */
  readonly server: string | null;
  readonly models: readonly ListedModel[];
  /** Why it has no models; null if it has some, or is empty. */
  readonly problem: string | null;
}

/** Looks once for model servers. Addresses where nothing listens are left out. */
export async function listServers({
  aliases,
  urls = USUAL_SERVER_URLS,
}: DiscoveryConfig): Promise<readonly ListedServer[]> {
  const connections = lookConnections();
  try {
    const found = await Promise.all(
      urls.map(async (url) => {
        const sighting = await lookAt(url, null, connections);
        if (sighting.seen === 'nothing') return [];
        const { server, problem } = afterLook(NOTHING_KNOWN, sighting, { now: 0, goneAfterMs: 0 });
        const names = [...offeredNames(server?.models ?? [], aliases)];
        return [
          {
            url,
            server: server === null ? null : SERVER_KINDS[server.kind].name,
            problem,
            models: (server?.models ?? []).map((model) => ({
              ...model,
              names: names.flatMap(([name, named]) => (named === model ? [name] : [])),
            })),
          },
        ];
      }),
    );
    return found.flat();
  } finally {
    await connections.destroy();
  }
}
