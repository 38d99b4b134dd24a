import { z } from '@hono/zod-openapi';

const count = z.int().min(0);

export const PruneRequest = z
  .strictObject({
    older_than_seconds: z
      .int()
      .min(1)
      .max(3_155_760_000)
      .openapi({ description: 'Deletes only jobs that finished or were cancelled more than this long ago' }),
    row_limit: z
      .int()
      .min(1)
      .max(200_000)
      .default(20_000)
      .openapi({ description: 'Approximate maximum number of rows that this request deletes' }),
    dry_run: z.boolean().default(false).openapi({ description: 'Only counts what would be deleted' }),
  })
  .openapi('PruneRequest');

export const PruneReply = z
  .object({
    jobs: count.openapi({ description: 'Jobs that are deleted completely' }),
    rows: count.openapi({ description: 'Rows deleted by this request' }),
    left: z
      .object({ jobs: count, items: count, tasks: count, payload_bytes: count })
      .openapi({ description: 'What remains to be deleted; zero jobs when nothing remains' }),
  })
  .openapi('PruneReply');
export type PruneReply = z.infer<typeof PruneReply>;

export const DatabaseView = z
  .object({
    server_version: z.string(),
    synchronous_commit: z.string().openapi({ description: "The setting of the control plane's sessions" }),
    fsync: z.boolean(),
    full_page_writes: z.boolean(),
    autovacuum: z.boolean(),
    max_connections: count,
    reserved_connections: count.openapi({ description: 'Of these, reserved for superusers and other roles' }),
    used_connections: count.openapi({ description: 'Connections to the whole server now' }),
    connections_each: count.openapi({ description: 'Maximum number of connections of one control plane' }),
    bytes: count.openapi({ description: 'Size of the database' }),
    oldest_transaction: z
      .object({
        seconds: z.number(),
        application: z.string().openapi({ description: 'The name that its session gives itself' }),
        pid: z.int().openapi({ description: 'For pg_terminate_backend' }),
      })
      .nullable()
      .default(null)
      .openapi({
        description:
          'The oldest open transaction of the database, other than this one. Vacuum keeps all rows that were deleted after it began. Null if there is none',
      }),
    transaction_id_age: count.nullable().default(null).openapi({
      description: 'Transactions since the oldest row that is not frozen. Postgres stops at 2 billion',
    }),
  })
  .openapi('Database');
export type DatabaseView = z.infer<typeof DatabaseView>;
