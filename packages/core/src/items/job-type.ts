/** What a job asks of a model. `noop` answers immediately and is for benchmarks. */
export const JOB_TYPES = ['chat', 'generate', 'embed', 'classify', 'noop'] as const;
export type JobType = (typeof JOB_TYPES)[number];
