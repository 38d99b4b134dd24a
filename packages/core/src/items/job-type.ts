/**
 * What a job asks of a model. `request` sends each payload to an endpoint of a model server as it is. `noop` answers
 * immediately and is for benchmarks.
 */
export const JOB_TYPES = ['chat', 'generate', 'embed', 'classify', 'request', 'noop'] as const;
export type JobType = (typeof JOB_TYPES)[number];
