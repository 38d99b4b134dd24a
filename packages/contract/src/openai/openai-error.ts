import { z } from '@hono/zod-openapi';

/** OpenAI's error reply. Its client libraries read all four members. */
export const OpenAiError = z
  .object({
    error: z.object({
      message: z.string(),
      type: z.string().openapi({ example: 'invalid_request_error' }),
      param: z.string().nullable().openapi({ description: 'The field that is wrong' }),
      code: z.string().nullable(),
    }),
  })
  .openapi('OpenAiError');
export type OpenAiError = z.infer<typeof OpenAiError>;
