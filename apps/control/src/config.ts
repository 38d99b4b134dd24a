import { readFileSync } from 'node:fs';
import type { AppOptions } from '@macbatch/api';
import { LEASE_SECONDS, messageOf } from '@macbatch/core';
import { z } from 'zod';

const MEGABYTE = 1024 * 1024;

/** The environment of a control plane. */
export const ControlConfig = z.object({
  MACBATCH_DATABASE_URL: z.string().startsWith('postgres', 'must be a postgres:// URL').optional(),
  MACBATCH_PREPARE: z.enum(['0', '1'], 'must be 0 or 1').optional(),
  MACBATCH_DATA_DIR: z.string().optional(),
  MACBATCH_HOST: z.string().default('127.0.0.1'),
  MACBATCH_PORT: z.coerce.number('must be a port').int().min(0).max(65_535).default(7420),
  MACBATCH_CONTROL_NAME: z
    .string()
    .regex(/^[\x21-\x7e]{1,200}$/, 'must be printable ASCII without spaces')
    .optional(),
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
  MACBATCH_MAX_UNFINISHED_ITEMS: z.coerce.number('must be a number of items').min(1).default(20_000_000),
  MACBATCH_MAX_UNFINISHED_MB: z.coerce.number('must be a number of megabytes').min(1).default(50_000),
  MACBATCH_MIN_FREE_MB: z.coerce.number('must be a number of megabytes').min(0).default(256),
  MACBATCH_MAX_JSON_MB: z.coerce.number('must be a number of megabytes').min(1).max(500).default(64),
  MACBATCH_MAX_LINE_MB: z.coerce.number('must be a number of megabytes').min(1).max(250).default(16),
});
export type ControlConfig = z.output<typeof ControlConfig>;

/** Which database, as `openPostgres` takes it. Throws where the configuration names none or two. */
export function databaseOf(config: ControlConfig): { readonly url: string } | { readonly dataDir: string } {
  const { MACBATCH_DATABASE_URL: url, MACBATCH_DATA_DIR: dataDir } = config;
  if (url !== undefined && dataDir !== undefined) {
    throw new Error(
      'Set MACBATCH_DATABASE_URL (a given Postgres) or MACBATCH_DATA_DIR (an embedded one), not both.',
    );
  }
  if (url !== undefined) return { url };
  if (dataDir !== undefined) return { dataDir };
  throw new Error(
    'Set MACBATCH_DATABASE_URL to a Postgres 15 or newer, or MACBATCH_DATA_DIR to a folder for an embedded one.',
  );
}

/** What one request and one key may ask for, as `createApp` takes it. */
export function limitsOf(config: ControlConfig): Required<NonNullable<AppOptions['limits']>> {
  return {
    requestsPerSecond: config.MACBATCH_REQUESTS_PER_SECOND,
    streams: config.MACBATCH_STREAMS,
    bodyIdleMs: config.MACBATCH_BODY_IDLE_SECONDS * 1000,
    maxJsonBytes: config.MACBATCH_MAX_JSON_MB * MEGABYTE,
    maxLineBytes: config.MACBATCH_MAX_LINE_MB * MEGABYTE,
  };
}

/** What the unfinished jobs of one group may hold. */
export function quotaOf(config: ControlConfig): { readonly items: number; readonly payloadBytes: number } {
  return {
    items: config.MACBATCH_MAX_UNFINISHED_ITEMS,
    payloadBytes: config.MACBATCH_MAX_UNFINISHED_MB * MEGABYTE,
  };
}

/** The certificate that is named, or nothing. Throws where only half of it is, or a file can't be read. */
export function tlsOf(config: ControlConfig): { readonly cert: string; readonly key: string } | undefined {
  const { MACBATCH_TLS_CERT: cert, MACBATCH_TLS_KEY: key } = config;
  if (cert === undefined && key === undefined) return undefined;
  if (cert === undefined || key === undefined)
    throw new Error('Set both MACBATCH_TLS_CERT and MACBATCH_TLS_KEY, or neither.');
  return { cert: readPem('MACBATCH_TLS_CERT', cert), key: readPem('MACBATCH_TLS_KEY', key) };
}

function readPem(name: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new Error(`${name}: ${messageOf(error)}`, { cause: error });
  }
}

/** A name made from a host's, which may hold what a name must not. */
export function controlNameOf(hostname: string): string {
  return hostname.replaceAll(/[^\x21-\x7e]+/g, '-').slice(0, 200) || 'control';
}
