import { z } from '@hono/zod-openapi';
import { JOB_STATES, JOB_WAITS } from '@macbatch/core';
import { JobEstimate } from './explanation.ts';
import { JobSummary, JobType } from './job.ts';
import { plainText } from './plain-text.ts';

export const JobListEntry = JobSummary.extend({
  items_per_second: z.number().nullable().default(null).openapi({
    description:
      'Measured over the last minutes. Null for a job that is not open, and from an older control plane',
  }),
  active_workers: z
    .int()
    .default(0)
    .openapi({ description: 'Alive workers that hold tasks or copies of the job' }),
  waits_for: z.enum(JOB_WAITS).nullable().default(null).openapi({
    description: 'What an open job waits for, as in its explanation',
  }),
  estimate: JobEstimate.nullable().default(null).openapi({
    description: 'When an open job should end; null if that is not known',
  }),
}).openapi('JobListEntry');
export type JobListEntry = z.infer<typeof JobListEntry>;

/** How the job list is sorted: newest first, or open jobs first and then newest first. */
export const JOB_SORTS = ['-created', 'open'] as const;

/** One or several states, separated by commas. */
const states = z
  .string()
  .transform((text) => text.split(','))
  .pipe(z.array(z.enum(JOB_STATES)).max(JOB_STATES.length));

export const JobListQuery = z.object({
  limit: z.coerce.number().int().min(1).max(200).default(50),
  before: z
    .string()
    .regex(/^(ended:)?[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i, 'expected the `next` of a page of jobs')
    .optional()
    .openapi({ description: 'The `next` of the previous page' }),
  sort: z
    .enum(JOB_SORTS)
    .default('-created')
    .openapi({ description: '-created: newest first; open: open jobs first, then newest first' }),
  state: states.optional().openapi({
    type: 'string',
    description: `Only jobs in these states, separated by commas: ${JOB_STATES.join(', ')}`,
  }),
  type: JobType.optional().openapi({ description: 'Only jobs of this job type' }),
  model: plainText(200).optional().openapi({ description: 'Only jobs with this alias of a model' }),
  group: plainText(200)
    .or(z.literal(''))
    .optional()
    .openapi({ description: 'Only jobs of this group of keys; empty: jobs that belong to no group' }),
  q: plainText(200).optional().openapi({
    description: 'Only jobs whose name or id contains this text. Upper and lower case are the same',
  }),
});

export const JobPage = z
  .object({
    jobs: z.array(JobListEntry),
    next: z
      .string()
      .nullable()
      .openapi({ description: 'The `before` of the next page; null: there is none' }),
  })
  .openapi('JobPage');
