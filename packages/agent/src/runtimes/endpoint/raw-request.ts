import { REQUEST_ENDPOINTS, type RequestEndpoint, type WorkType } from '@macbatch/core';
import type { EndpointJobType } from './completion-request.ts';

/** The endpoints that a server is assumed to have if it runs a job type. One that it lacks is withdrawn at first use. */
const ENDPOINTS_OF: Readonly<Record<EndpointJobType, readonly RequestEndpoint[]>> = {
  chat: ['/v1/chat/completions', '/v1/responses', '/v1/messages'],
  generate: ['/v1/completions'],
  embed: ['/v1/embeddings'],
};

const ANTHROPIC_VERSION = '2023-06-01';

/** The work types of a server that is set up to run these job types: the job types, and their endpoints for raw requests. */
export function endpointWorkTypes(jobTypes: readonly EndpointJobType[]): readonly WorkType[] {
  const endpoints = jobTypes.flatMap((jobType) => ENDPOINTS_OF[jobType]);
  return [
    ...jobTypes,
    ...REQUEST_ENDPOINTS.filter((endpoint) => endpoints.includes(endpoint)).map(
      (endpoint) => `request:${endpoint}` as const,
    ),
  ];
}

/** The path below a base URL that ends in `/v1`. */
export function pathBelowBase(endpoint: RequestEndpoint): string {
  return endpoint.slice('/v1'.length);
}

/** Headers that an endpoint needs and other endpoints do not. Anthropic's API takes the key in a header of its own. */
export function endpointHeaders(endpoint: RequestEndpoint, key: string | undefined): Record<string, string> {
  if (endpoint !== '/v1/messages') return {};
  return { 'anthropic-version': ANTHROPIC_VERSION, ...(key === undefined ? {} : { 'x-api-key': key }) };
}
