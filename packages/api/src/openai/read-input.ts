import type { z } from '@hono/zod-openapi';
import { invalidField } from '../requests/invalid-field.ts';
import { OpenAiRefusal } from './openai-refusal.ts';

/** The refusal of a request that does not match a schema. Names the first wrong field. */
export function invalidFieldRefusal(error: z.core.$ZodError): OpenAiRefusal {
  const { message, place } = invalidField(error);
  const [issue] = error.issues;
  const isMissing = issue?.code === 'invalid_type' && /received undefined/.test(issue.message);
  const code = isMissing ? 'missing_required_parameter' : 'invalid_value';
  return new OpenAiRefusal(400, code, message, place.field ?? null);
}

/** Parses a value by its schema. Throws `OpenAiRefusal`. */
export function parseInput<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw invalidFieldRefusal(parsed.error);
  return parsed.data;
}
