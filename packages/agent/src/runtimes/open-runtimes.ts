import { type DiscoveryConfig, discoveredEndpoints } from './discovery/discovered-endpoint.ts';
import { type EndpointConfig, openAiEndpoint } from './endpoint/openai-endpoint.ts';
import { noop } from './noop.ts';
import type { Runtime } from './runtime.ts';
import { useLite } from './use-lite/use-lite.ts';

export interface RuntimesConfig {
  readonly endpoints: readonly EndpointConfig[];
  /** Looks for model servers on this machine. Null: uses only `endpoints`. */
  readonly discovery: DiscoveryConfig | null;
  readonly useLite: boolean;
  readonly noop: boolean;
}

/** Opens the runtimes of a worker, in the order in which they are asked. Nothing starts before its first item. */
export function openRuntimes(config: RuntimesConfig, clock: { now: () => number }): readonly Runtime[] {
  return [
    ...config.endpoints.map((endpoint) => openAiEndpoint(endpoint, clock)),
    ...(config.discovery === null ? [] : discoveredEndpoints(config.discovery, clock)),
    ...(config.useLite ? [useLite()] : []),
    ...(config.noop ? [noop()] : []),
  ];
}
