import { z } from '@hono/zod-openapi';
import { JOB_WAITS, NO_ESTIMATE_REASONS } from '@macbatch/core';
import { JobSummary } from './job.ts';

const moment = z.iso.datetime({ offset: true });
const pace = z.number().min(0);

export const JobEstimate = z
  .object({
    likely_seconds: z.number(),
    low_seconds: z.number(),
    high_seconds: z.number(),
    likely_at: moment,
    low_at: moment,
    high_at: moment,
  })
  .openapi('JobEstimate', {
    description: 'From `at` on, if no job is submitted that comes before it and no other worker comes',
  });

/** What a job waits for and when it should end. Of others' jobs it says how many there are and no more. */
export const JobExplanation = z
  .object({
    at: moment.openapi({ description: "The database's clock when this was so" }),
    job: JobSummary,
    waits_for: z.enum(JOB_WAITS),
    workers: z.int().openapi({ description: 'Workers that are alive and offer what it needs' }),
    busy_workers: z.int().openapi({ description: 'Of these, those that hold tasks, of whatever job' }),
    offered_models: z
      .array(z.string())
      .openapi({ description: 'What workers that are alive offer for its job type' }),
    before: z
      .object({ jobs: z.int(), items: z.int() })
      .openapi({ description: 'What is served first and needs the same workers' }),
    held: z.object({
      tasks: z.int(),
      workers: z.int(),
      absent_workers: z.int().openapi({ description: 'Of these, those that are not alive' }),
      oldest_lease_seconds: z.number().nullable(),
      absent_lease_seconds: z
        .number()
        .nullable()
        .openapi({ description: 'Until every lease of those that are not alive has ended' }),
    }),
    pace: z.object({
      told: pace.openapi({
        description: 'Items a second that workers which are alive tell, at this kind of work',
      }),
      measured: pace.openapi({ description: 'Items a second of this job in the last minutes' }),
    }),
    estimate: JobEstimate.nullable(),
    no_estimate: z.enum(NO_ESTIMATE_REASONS).nullable().openapi({ description: 'Why there is none' }),
  })
  .openapi('JobExplanation');
export type JobExplanation = z.infer<typeof JobExplanation>;
