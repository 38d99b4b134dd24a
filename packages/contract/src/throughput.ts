import { z } from '@hono/zod-openapi';
import { plainText } from './plain-text.ts';

export const THROUGHPUT_KEYS = ['worker', 'model', 'job', 'none'] as const;

const moment = z.iso.datetime({ offset: true });
const counts = (description: string) =>
  z.array(z.number()).openapi({ description: `${description}, one number for each time` });

export const ThroughputQuery = z.object({
  from: moment.optional().openapi({ description: 'An hour before `to` by default' }),
  to: moment.optional().openapi({ description: 'Now by default' }),
  step: z.coerce
    .number()
    .int()
    .min(60)
    .max(7 * 86_400)
    .multipleOf(60)
    .optional()
    .openapi({ description: 'Seconds, a multiple of 60. By default such that there are at most 120 steps' }),
  by: z.enum(THROUGHPUT_KEYS).default('none').openapi({ description: 'One series for each of these' }),
  job: z.uuid().optional(),
  worker: plainText(200).optional(),
  model: plainText(200).optional().openapi({ description: "The jobs' alias of the model" }),
});

export const Throughput = z
  .object({
    from: moment,
    to: moment,
    step_seconds: z.int(),
    times: z
      .array(moment)
      .openapi({ description: 'The beginnings of the steps. The last step may be going on' }),
    series: z.array(
      z
        .object({
          key: z.string().nullable().openapi({
            description: 'A worker id, a model or a job id; empty for `none`; null: all others together',
          }),
          name: z.string().nullable().openapi({ description: 'The name of the job' }),
          ok: counts('Items that were ok'),
          error: counts('Items whose recorded outcome is an error'),
          input_tokens: counts('Tokens that models read'),
          output_tokens: counts('Tokens that models wrote'),
          leases_expired: counts('Leases that expired'),
        })
        .openapi('ThroughputSeries'),
    ),
  })
  .openapi('Throughput', { description: 'Counts are kept for seven days' });
export type Throughput = z.infer<typeof Throughput>;
