import { z } from '@hono/zod-openapi';

const MAX_TOPICS = 50;

export const StreamQuery = z.object({
  topics: z
    .string()
    .transform((text) => text.split(','))
    .pipe(
      z
        .array(
          z
            .string()
            .regex(
              /^(?:jobs|workers|events|job:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i,
              'expected jobs, workers, events or job:ID',
            ),
        )
        .max(MAX_TOPICS),
    )
    .openapi({ type: 'string', description: 'jobs, workers, events and job:ID, separated by commas' }),
});
