import { z } from '@hono/zod-openapi';
import { plainText } from '../plain-text.ts';

/** Shortest and longest time until a file expires, in seconds: one hour and 30 days. */
export const FILE_EXPIRY_SECONDS = { min: 3600, max: 2_592_000 } as const;

/** Most files in one page. */
const MAX_FILES = 10_000;

/** A file as OpenAI describes it. Times are in Unix seconds. */
export const FileObject = z
  .object({
    id: z.string(),
    object: z.literal('file'),
    bytes: z.int(),
    created_at: z.int(),
    expires_at: z.int().nullable(),
    filename: z.string(),
    purpose: z.string(),
    status: z.literal('processed'),
    status_details: z.null(),
  })
  .openapi('OpenAiFile');
export type FileObject = z.infer<typeof FileObject>;

export const FileList = z
  .object({
    object: z.literal('list'),
    data: z.array(FileObject),
    first_id: z.string().nullable(),
    last_id: z.string().nullable(),
    has_more: z.boolean(),
  })
  .openapi('OpenAiFileList');
export type FileList = z.infer<typeof FileList>;

export const FileDeleted = z
  .object({ id: z.string(), object: z.literal('file'), deleted: z.boolean() })
  .openapi('OpenAiFileDeleted');
export type FileDeleted = z.infer<typeof FileDeleted>;

/** The fields of an upload besides `file`. */
export const FileUploadFields = z.object({
  purpose: z.literal('batch', { error: "must be 'batch': other files have no use here" }),
  expires_after: z
    .strictObject({
      anchor: z.literal('created_at'),
      seconds: z.coerce.number().int().min(FILE_EXPIRY_SECONDS.min).max(FILE_EXPIRY_SECONDS.max),
    })
    .optional(),
});
export type FileUploadFields = z.output<typeof FileUploadFields>;

export const FileListQuery = z.object({
  purpose: plainText(100).optional(),
  after: plainText(100).optional().openapi({ description: 'The `last_id` of the previous page' }),
  limit: z.coerce.number().int().min(1).max(MAX_FILES).default(MAX_FILES),
  order: z.enum(['asc', 'desc']).default('desc'),
});
