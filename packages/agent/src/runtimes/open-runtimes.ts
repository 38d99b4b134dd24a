import { type EndpointConfig, openAiEndpoint } from './endpoint/openai-endpoint.ts';
import { noop } from './noop.ts';
import type { Offer, Runtime } from './runtime.ts';
import { useLite } from './use-lite/use-lite.ts';

export interface RuntimesConfig {
  readonly endpoints: readonly EndpointConfig[];
  readonly useLite: boolean;
  readonly noop: boolean;
}

/** The runtimes of a worker, in the order in which they are asked. Nothing starts before its first item. */
export function openRuntimes(config: RuntimesConfig, clock: { now: () => number }): readonly Runtime[] {
  return [
    ...config.endpoints.map((endpoint) => openAiEndpoint(endpoint, clock)),
    ...(config.useLite ? [useLite()] : []),
    ...(config.noop ? [noop()] : []),
  ];
}

export interface Router {
  /** What can be run right now, each offer once. */
  offers(): readonly Offer[];
  /** The first runtime that offers it right now. */
  runtimeFor(offer: Offer): Runtime | undefined;
  close(): Promise<void>;
}

export function router(runtimes: readonly Runtime[]): Router {
  return {
    offers() {
      const byKey = new Map<string, Offer>();
      for (const offer of runtimes.flatMap((runtime) => runtime.offers())) {
        byKey.set(JSON.stringify([offer.job_type, offer.model]), offer);
      }
      return [...byKey.values()];
    },
    runtimeFor: ({ job_type, model }) =>
      runtimes.find((runtime) =>
        runtime.offers().some((offer) => offer.job_type === job_type && offer.model === model),
      ),
    async close() {
      await Promise.all(runtimes.map((runtime) => runtime.close()));
    },
  };
}
