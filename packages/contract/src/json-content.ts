import type { z } from '@hono/zod-openapi';

/** Describes a JSON reply of a route. */
export const json = <Schema extends z.ZodType>(schema: Schema, description: string) => ({
  description,
  content: { 'application/json': { schema } },
});

/** Describes the JSON body of a request to a route. */
export const body = <Schema extends z.ZodType>(schema: Schema) => ({
  required: true as const,
  content: { 'application/json': { schema } },
});
