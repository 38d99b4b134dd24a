import { LEASE_SECONDS } from '@macbatch/core';
import { z } from 'zod';
import { programName } from './program-name.ts';

/** The variables of a control plane. */
export const ControlConfig = z.object({
  MACBATCH_DATABASE_URL: z.string().startsWith('postgres', 'must be a postgres:// URL').optional(),
  MACBATCH_PREPARE: z.enum(['0', '1'], 'must be 0 or 1').optional(),
  MACBATCH_DATA_DIR: z.string().optional(),
  MACBATCH_HOST: z.string().default('127.0.0.1'),
  MACBATCH_PORT: z.coerce.number('must be a port').int().min(0).max(65_535).default(7420),
  MACBATCH_CONTROL_NAME: programName.optional(),
  PROBE_STATE: z.string().optional(),
  MACBATCH_RENEWED_LEASE_SECONDS: z.coerce
    .number('must be a number of seconds')
    .min(1)
    .max(LEASE_SECONDS)
    .default(90),
  MACBATCH_COPIES: z.enum(['on', 'off'], 'must be on or off').default('on'),
  MACBATCH_ORDER: z.enum(['shortest', 'fifo'], 'must be shortest or fifo').default('shortest'),
  MACBATCH_TLS_CERT: z.string().optional(),
  MACBATCH_TLS_KEY: z.string().optional(),
  MACBATCH_TRUST_PROXY: z.enum(['0', '1'], 'must be 0 or 1').default('0'),
  MACBATCH_REQUESTS_PER_SECOND: z.coerce.number('must be a number of requests').min(1).default(100),
  MACBATCH_STREAMS: z.coerce.number('must be a number of streams').int().min(1).default(32),
  MACBATCH_BODY_IDLE_SECONDS: z.coerce.number('must be a number of seconds').min(1).max(3600).default(30),
  MACBATCH_UPLOAD_MINUTES: z.coerce.number('must be a number of minutes').min(1).max(1440).default(60),
  MACBATCH_MAX_UNFINISHED_ITEMS: z.coerce.number('must be a number of items').min(1).default(20_000_000),
  MACBATCH_MAX_UNFINISHED_MB: z.coerce.number('must be a number of megabytes').min(1).default(50_000),
  MACBATCH_MIN_FREE_MB: z.coerce.number('must be a number of megabytes').min(0).default(256),
  MACBATCH_MAX_JSON_MB: z.coerce.number('must be a number of megabytes').min(1).max(500).default(64),
  MACBATCH_MAX_LINE_MB: z.coerce.number('must be a number of megabytes').min(1).max(250).default(16),
  MACBATCH_FILE_MAX_MB: z.coerce.number('must be a number of megabytes').min(1).default(200),
  MACBATCH_FILE_MAX_LINE_MB: z.coerce.number('must be a number of megabytes').min(1).max(250).default(64),
  MACBATCH_FILE_QUOTA_MB: z.coerce.number('must be a number of megabytes').min(1).default(100_000),
  MACBATCH_BATCH_MAX_REQUESTS: z.coerce.number('must be a number of requests').int().min(1).default(50_000),
  MACBATCH_BATCH_MIXED_MODELS: z.enum(['refuse', 'route'], 'must be refuse or route').default('refuse'),
  MACBATCH_BATCH_LEDGER: z.enum(['on', 'off'], 'must be on or off').default('off'),
  MACBATCH_MESSAGE_BATCH_MAX_REQUESTS: z.coerce
    .number('must be a number of requests')
    .int()
    .min(1)
    .default(100_000),
  MACBATCH_MESSAGE_BATCH_MAX_MB: z.coerce.number('must be a number of megabytes').min(1).default(256),
  MACBATCH_BATCH_DAYS: z.coerce.number('must be a number of days').int().min(1).max(36_500).default(365),
  MACBATCH_FILE_STORE_URL: z.url({ protocol: /^https?$/, error: 'must be the URL of a bucket' }).optional(),
  AWS_ACCESS_KEY_ID: z.string().optional(),
  AWS_SECRET_ACCESS_KEY: z.string().optional(),
  MACBATCH_FILE_DAYS: z.coerce.number('must be a number of days').min(1).max(3650).default(30),
});
export type ControlConfig = z.output<typeof ControlConfig>;
