import { z } from '@hono/zod-openapi';

/** Anthropic's error reply. */
export const AnthropicError = z
  .object({
    type: z.literal('error'),
    error: z.object({
      type: z.string().openapi({ example: 'invalid_request_error' }),
      message: z.string(),
    }),
    request_id: z.string().nullable(),
  })
  .openapi('AnthropicError');
export type AnthropicError = z.infer<typeof AnthropicError>;
