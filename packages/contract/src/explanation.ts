import { z } from '@hono/zod-openapi';
import { JOB_WAITS, NO_ESTIMATE_REASONS } from '@macbatch/core';
import { JobSummary } from './job.ts';
import { TroubleView } from './worker.ts';

const moment = z.iso.datetime({ offset: true });
const itemsPerSecond = z.number().min(0);

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
    description: 'Counted from `at`, if no job is submitted that goes first and no other worker joins',
  });

export type JobEstimate = z.infer<typeof JobEstimate>;

/** What a job waits for and when it should end. Jobs of other groups appear only as counts. */
export const JobExplanation = z
  .object({
    at: moment.openapi({ description: "Time of this state, by the database's clock" }),
    job: JobSummary,
    waits_for: z.enum(JOB_WAITS),
    workers: z.int().openapi({ description: 'Alive workers that offer its job type and model' }),
    paused_workers: z
      .int()
      .default(0)
      .openapi({ description: 'Alive workers that offer it and are paused. They are not counted above' }),
    busy_workers: z.int().openapi({ description: 'Of these, workers that hold tasks of any job' }),
    offered_models: z
      .array(z.string())
      .openapi({ description: 'Models that alive workers offer for its job type' }),
    before: z
      .object({ jobs: z.int(), items: z.int() })
      .openapi({ description: 'Jobs that go first and need the same workers' }),
    held: z.object({
      tasks: z.int(),
      workers: z.int(),
      absent_workers: z.int().openapi({ description: 'Of these, workers that are not alive' }),
      oldest_lease_seconds: z.number().nullable(),
      absent_lease_seconds: z
        .number()
        .nullable()
        .openapi({ description: 'Seconds until every lease of these workers has expired' }),
    }),
    pace: z.object({
      told: itemsPerSecond.openapi({
        description:
          'Sum of the rates that alive workers report for this job type and model, in items a second',
      }),
      measured: itemsPerSecond.openapi({
        description: 'Items a second of this job, measured over the last minutes',
      }),
    }),
    troubles: z
      .array(TroubleView.extend({ worker_id: z.string() }))
      .default([])
      .openapi({ description: 'Why workers that are alive cannot run it now' }),
    estimate: JobEstimate.nullable(),
    no_estimate: z.enum(NO_ESTIMATE_REASONS).nullable().openapi({ description: 'Why there is no estimate' }),
  })
  .openapi('JobExplanation');
export type JobExplanation = z.infer<typeof JobExplanation>;
