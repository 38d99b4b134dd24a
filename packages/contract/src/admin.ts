import { z } from '@hono/zod-openapi';

const count = z.int().min(0);

export const PruneRequest = z
  .strictObject({
    older_than_seconds: z
      .int()
      .min(1)
      .max(3_155_760_000)
      .openapi({ description: 'Only jobs that finished or were cancelled longer ago than this' }),
    row_limit: z
      .int()
      .min(1)
      .max(200_000)
      .default(20_000)
      .openapi({ description: 'About how many rows this request deletes at most' }),
    dry_run: z.boolean().default(false).openapi({ description: 'Delete nothing, say what is there' }),
  })
  .openapi('PruneRequest');

export const PruneReply = z
  .object({
    jobs: count.openapi({ description: 'Jobs of which nothing is left now' }),
    rows: count.openapi({ description: 'Rows that this request has deleted' }),
    left: z
      .object({ jobs: count, items: count, tasks: count, payload_bytes: count })
      .openapi({ description: 'What is still to be deleted; zero jobs when all is done' }),
  })
  .openapi('PruneReply');
export type PruneReply = z.infer<typeof PruneReply>;

export const DatabaseView = z
  .object({
    server_version: z.string(),
    synchronous_commit: z.string().openapi({ description: "As the control plane's sessions have it" }),
    fsync: z.boolean(),
    full_page_writes: z.boolean(),
    autovacuum: z.boolean(),
    max_connections: count,
    reserved_connections: count.openapi({ description: 'Of these, kept for superusers and the like' }),
    used_connections: count.openapi({ description: 'Of the whole server, now' }),
    connections_each: count.openapi({ description: 'What one control plane opens at most' }),
    bytes: count.openapi({ description: 'Size of the database' }),
  })
  .openapi('Database');
export type DatabaseView = z.infer<typeof DatabaseView>;
