export { JOB_TYPES, type JobType } from './job-type.ts';
