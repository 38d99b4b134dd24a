import { z } from '@hono/zod-openapi';
import { plainText } from './plain-text.ts';

const moment = z.iso.datetime({ offset: true });

/** Why a worker gets no leases: a person has paused it, or a rule of its Mac. */
export const Pause = z
  .object({
    since: moment,
    until: moment.nullable().openapi({ description: 'The pause ends by itself then; null: it does not' }),
    reason: z.string().nullable(),
    rule: z.string().nullable().default(null).openapi({
      description:
        'The rule of that Mac by which it pauses itself, such as `on_battery`, or `paused_here`; null: it was paused through the control plane',
    }),
    by: z
      .string()
      .nullable()
      .openapi({ description: 'The name of the key that paused the worker; null: no key was needed' }),
    drain: z.boolean().openapi({
      description: 'The worker finishes the items that run and hands back the others that it holds',
    }),
  })
  .openapi('Pause');
export type Pause = z.infer<typeof Pause>;

export const PauseRequest = z
  .strictObject({
    reason: plainText(500).optional(),
    until: moment
      .optional()
      .openapi({ description: "The pause ends by itself then, by the database's clock" }),
    drain: z.boolean().optional().openapi({
      description:
        'true: the worker hands back what it has not started; false (default): it finishes all that it holds',
    }),
  })
  .openapi('PauseRequest');

export const PauseReply = z.object({ worker_id: z.string(), pause: Pause.nullable() }).openapi('PauseReply');
