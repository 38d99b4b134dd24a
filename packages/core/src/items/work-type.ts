import { JOB_TYPES, type JobType } from './job-type.ts';

/** Endpoints of model servers that a job of type `request` can name. */
export const REQUEST_ENDPOINTS = [
  '/v1/chat/completions',
  '/v1/completions',
  '/v1/embeddings',
  '/v1/responses',
  '/v1/messages',
] as const;
export type RequestEndpoint = (typeof REQUEST_ENDPOINTS)[number];

/**
 * What a worker has to be able to do for a job: the job type, and for `request` also the endpoint, because many model
 * servers have only some of the endpoints. Workers offer work types, and jobs are scheduled by them.
 */
export type WorkType = Exclude<JobType, 'request'> | `request:${RequestEndpoint}`;

const PREFIX = 'request:';

export const WORK_TYPES: readonly WorkType[] = JOB_TYPES.flatMap((jobType) =>
  jobType === 'request' ? REQUEST_ENDPOINTS.map((endpoint) => `${PREFIX}${endpoint}` as const) : [jobType],
);

/** Finds the endpoint with this path; null if requests cannot be sent to it. */
export function requestEndpoint(path: unknown): RequestEndpoint | null {
  return REQUEST_ENDPOINTS.find((endpoint) => endpoint === path) ?? null;
}

/** The work type of a job. Throws if a job of type `request` names no known endpoint: its params were not checked. */
export function workTypeOf(jobType: JobType, params: Readonly<Record<string, unknown>>): WorkType {
  if (jobType !== 'request') return jobType;
  const endpoint = requestEndpoint(params['endpoint']);
  if (endpoint === null) throw new Error('A job of type request needs params.endpoint.');
  return `${PREFIX}${endpoint}`;
}

/** The job type of a work type. */
export function jobTypeOf(workType: WorkType): JobType {
  return JOB_TYPES.find((jobType) => jobType === workType) ?? 'request';
}

/** The endpoint of a work type; null unless it is one of raw requests. */
export function endpointOf(workType: WorkType): RequestEndpoint | null {
  return requestEndpoint(workType.slice(PREFIX.length));
}
