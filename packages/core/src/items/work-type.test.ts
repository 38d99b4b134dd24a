import { expect, it } from 'vitest';
import { JOB_TYPES } from './job-type.ts';
import { endpointOf, jobTypeOf, REQUEST_ENDPOINTS, WORK_TYPES, workTypeOf } from './work-type.ts';

it('gives every job type one work type, and raw requests one for each endpoint', () => {
  expect(WORK_TYPES).toHaveLength(JOB_TYPES.length - 1 + REQUEST_ENDPOINTS.length);
  for (const workType of WORK_TYPES) {
    const endpoint = endpointOf(workType);
    expect(workTypeOf(jobTypeOf(workType), endpoint === null ? {} : { endpoint })).toBe(workType);
  }
});

it('refuses a job of raw requests without an endpoint', () => {
  expect(() => workTypeOf('request', {})).toThrow('params.endpoint');
});
