import { type ListedServer, listServers, type ModelsStatus } from '@macbatch/agent';
import type { WorkerConfig } from '@macbatch/settings';
import { discoveryOf } from './endpoints.ts';

/** A model as `worker models` lists it. */
export interface ModelLine {
  /** The server's name for it. */
  readonly model: string;
  /** The names that jobs can use. */
  readonly names: readonly string[];
  readonly job_types: readonly string[];
  /** In memory now; null if the server does not say. */
  readonly loaded: boolean | null;
  readonly context_length: number | null;
  /** The most items that the running worker runs concurrently; null before the first. */
  readonly concurrency: number | null;
  /** Why the running worker cannot run it now. */
  readonly troubles: readonly {
    readonly code: string;
    readonly message: string;
    readonly job_types: readonly string[];
  }[];
}

export interface ServerLines {
  readonly url: string;
  /** The kind of server; null if it was named in the configuration, or is no known model server. */
  readonly server: string | null;
  readonly problem: string | null;
  readonly models: readonly ModelLine[];
}

/** The output of `worker models`. */
export interface ModelsListing {
  /** `discovered`: found on this machine now. `configured`: as the configuration names them. `off`: neither. */
  readonly source: 'discovered' | 'configured' | 'off';
  /** Whether the worker of this machine runs. */
  readonly running: boolean;
  readonly servers: readonly ServerLines[];
}

/** Lists the model servers of a worker with their models, and what the running worker says about them. */
export async function listModels(config: WorkerConfig, status: ModelsStatus | null): Promise<ModelsListing> {
  const running = status !== null;
  const discovery = discoveryOf(config);
  if (discovery !== null) {
    const servers = await listServers(discovery);
    return { source: 'discovered', running, servers: servers.map((server) => linesOf(server, status)) };
  }
  const servers = config.MACBATCH_ENDPOINTS.map(
    ({ url, models, jobTypes = ['chat', 'generate', 'embed'] }) => ({
      url: bareUrl(url),
      server: null,
      problem: null,
      models: Object.entries(models).map(([alias, model]) => ({
        name: model,
        names: [alias],
        jobTypes,
        loaded: null,
        contextLength: null,
      })),
    }),
  );
  return {
    source: servers.length === 0 ? 'off' : 'configured',
    running,
    servers: servers.map((server) => linesOf(server, status)),
  };
}

function linesOf({ url, server, problem, models }: ListedServer, status: ModelsStatus | null): ServerLines {
  const { host } = new URL(url);
  const isHere = ({ endpoint }: { readonly endpoint: string }) => endpoint.split(' ').includes(host);
  const troubles = (status?.troubles ?? []).filter(isHere);
  const limits = (status?.limits ?? []).filter(isHere);
  return {
    url,
    server,
    problem,
    models: models.map(({ name, names, jobTypes, loaded, contextLength }) => {
      const own = troubles.filter(({ model }) => names.includes(model));
      const codes = [...new Set(own.map(({ code }) => code))];
      return {
        model: name,
        names,
        job_types: jobTypes,
        loaded,
        context_length: contextLength,
        concurrency: limits.find(({ model }) => names.includes(model))?.items ?? null,
        troubles: codes.map((code) => {
          const same = own.filter((trouble) => trouble.code === code);
          return {
            code,
            message: same[0]?.message ?? '',
            job_types: [...new Set(same.map((each) => each.job_type))],
          };
        }),
      };
    }),
  };
}

/** A URL without its password and query, which may contain secrets. */
function bareUrl(text: string): string {
  const url = URL.parse(text);
  return url === null ? text : `${url.origin}${url.pathname}`;
}
