import { z } from '@hono/zod-openapi';

/** Text that a database column can hold: well-formed Unicode without U+0000. */
export const plainText = (maxLength: number) =>
  z
    .string()
    .min(1)
    .max(maxLength)
    .refine((text) => text.isWellFormed() && !text.includes('\u0000'), {
      error: 'must not contain a lone surrogate or the character U+0000',
    });
