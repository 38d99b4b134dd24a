import { z } from '@hono/zod-openapi';
import { KEY_ROLES } from '@macbatch/core';
import { plainText } from './plain-text.ts';
import { WorkerId } from './task.ts';

const Role = z.enum(KEY_ROLES);

const Group = plainText(200).openapi({ description: 'Keys of one group see the same jobs' });
const moment = z.iso.datetime({ offset: true });
const days = z.number().positive().max(36_500);

export const KeyView = z
  .object({
    id: z.string(),
    name: z.string(),
    role: Role,
    group: z.string(),
    worker_id: z.string().nullable().openapi({ description: 'The only worker that a worker key may act as' }),
    created_at: moment,
    expires_at: moment.nullable(),
    revoked_at: moment.nullable(),
  })
  .openapi('Key');
export type KeyView = z.infer<typeof KeyView>;

export const KeyList = z.object({ keys: z.array(KeyView) }).openapi('KeyList');

export const CreateKeyRequest = z
  .strictObject({
    name: plainText(200),
    role: Role,
    group: Group.optional().openapi({ description: 'The name of the key by default' }),
    worker_id: WorkerId.optional().openapi({
      description: 'Required for the role worker, not allowed for others',
    }),
    expires_in_days: days.optional(),
  })
  .refine((key) => (key.role === 'worker') === (key.worker_id !== undefined), {
    path: ['worker_id'],
    error: 'is required for the role worker and not allowed for other roles',
  })
  .openapi('CreateKeyRequest');
export type CreateKeyRequest = z.infer<typeof CreateKeyRequest>;

export const CreateKeyReply = z
  .object({
    key: z.string().openapi({ description: 'Shown only once; the control plane keeps only its hash' }),
    view: KeyView,
  })
  .openapi('CreateKeyReply');

export const JoinTokenRequest = z
  .strictObject({
    worker_id: WorkerId.optional().openapi({ description: 'Only this worker may use the token' }),
    expires_in_minutes: z.number().positive().max(43_200).default(60),
  })
  .openapi('JoinTokenRequest');

export const JoinTokenReply = z
  .object({
    token: z.string().openapi({ description: 'Shown only once; valid for one worker' }),
    expires_at: moment,
  })
  .openapi('JoinTokenReply');

export const JoinRequest = z.strictObject({ worker_id: WorkerId }).openapi('JoinRequest');

export const JoinReply = z.object({ key: z.string(), worker_id: z.string() }).openapi('JoinReply');

export const SessionReply = z
  .object({
    session: z.string().openapi({ description: 'Sent like a key. Shown only once' }),
    expires_at: moment,
  })
  .openapi('SessionReply');

export const EndSessionReply = z
  .object({ ended: z.boolean().openapi({ description: 'False: the caller sent a key, not a session' }) })
  .openapi('EndSessionReply');

export const Caller = z
  .object({
    role: Role,
    group: z.string(),
    worker_id: z.string().nullable(),
    open: z.boolean().openapi({ description: 'This control plane needs no keys' }),
    version: z.string().openapi({ description: 'Version of the control plane' }),
    now: moment.openapi({ description: "The database's clock" }),
  })
  .openapi('Caller');
