import { z } from '@hono/zod-openapi';

/** A model as OpenAI describes it. */
export const ModelObject = z
  .object({
    id: z.string().openapi({ description: 'The alias that jobs and batches name' }),
    object: z.literal('model'),
    created: z.int().openapi({ description: 'When its first worker was seen first, in Unix seconds' }),
    owned_by: z.literal('macbatch'),
  })
  .openapi('OpenAiModel');
export type ModelObject = z.infer<typeof ModelObject>;

export const ModelList = z
  .object({ object: z.literal('list'), data: z.array(ModelObject) })
  .openapi('OpenAiModelList');
export type ModelList = z.infer<typeof ModelList>;
