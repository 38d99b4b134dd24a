import { readFileSync } from 'node:fs';
import type { AppOptions, BatchLimits } from '@macbatch/api';
import { messageOf } from '@macbatch/core';
import type { ControlConfig } from '@macbatch/settings';
import { type FileContent, openS3Content } from '@macbatch/store';

const MEGABYTE = 1024 * 1024;
const DAY_SECONDS = 24 * 60 * 60;

/** Returns the options of `openPostgres`. Throws unless the configuration names exactly one database. */
export function databaseOf(config: ControlConfig): { readonly url: string } | { readonly dataDir: string } {
  const { MACBATCH_DATABASE_URL: url, MACBATCH_DATA_DIR: dataDir } = config;
  if (url !== undefined && dataDir !== undefined) {
    throw new Error(
      'Set either MACBATCH_DATABASE_URL (your own Postgres server) or MACBATCH_DATA_DIR (an embedded server), not both.',
    );
  }
  if (url !== undefined) return { url };
  if (dataDir !== undefined) return { dataDir };
  throw new Error(
    'Set MACBATCH_DATABASE_URL to the URL of a Postgres server (15 or newer), or MACBATCH_DATA_DIR to a folder for an embedded server.',
  );
}

/** Returns the request limits for `createApp`. */
export function limitsOf(config: ControlConfig): Required<NonNullable<AppOptions['limits']>> {
  return {
    requestsPerSecond: config.MACBATCH_REQUESTS_PER_SECOND,
    streams: config.MACBATCH_STREAMS,
    bodyIdleMs: config.MACBATCH_BODY_IDLE_SECONDS * 1000,
    bodyTotalMs: config.MACBATCH_UPLOAD_MINUTES * 60_000,
    maxJsonBytes: config.MACBATCH_MAX_JSON_MB * MEGABYTE,
    maxLineBytes: config.MACBATCH_MAX_LINE_MB * MEGABYTE,
    maxFileBytes: config.MACBATCH_FILE_MAX_MB * MEGABYTE,
    maxFileLineBytes: config.MACBATCH_FILE_MAX_LINE_MB * MEGABYTE,
    fileQuotaBytes: config.MACBATCH_FILE_QUOTA_MB * MEGABYTE,
    fileExpirySeconds: config.MACBATCH_FILE_DAYS * DAY_SECONDS,
    maxMessageRequests: config.MACBATCH_MESSAGE_BATCH_MAX_REQUESTS,
    maxMessageBatchBytes: config.MACBATCH_MESSAGE_BATCH_MAX_MB * MEGABYTE,
  };
}

/** Opens the store that the configuration names for files; undefined if files go into the database. */
export async function fileContentOf(
  config: ControlConfig,
  onUnreachable: (error: Error) => void,
): Promise<FileContent | undefined> {
  const { MACBATCH_FILE_STORE_URL: url, AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret } = config;
  if (url === undefined) return undefined;
  const credentials =
    id === undefined || secret === undefined ? null : { accessKeyId: id, secretAccessKey: secret };
  try {
    return await openS3Content(url, credentials, onUnreachable);
  } catch (error) {
    throw new Error(`MACBATCH_FILE_STORE_URL: ${messageOf(error)}`, { cause: error });
  }
}

/** Returns the quota of unfinished work for each group. */
export function quotaOf(config: ControlConfig): { readonly items: number; readonly payloadBytes: number } {
  return {
    items: config.MACBATCH_MAX_UNFINISHED_ITEMS,
    payloadBytes: config.MACBATCH_MAX_UNFINISHED_MB * MEGABYTE,
  };
}

/** Returns the limits of batches. */
export function batchLimitsOf(config: ControlConfig): BatchLimits {
  return {
    maxRequests: config.MACBATCH_BATCH_MAX_REQUESTS,
    mixedModels: config.MACBATCH_BATCH_MIXED_MODELS,
    maxFileLineBytes: config.MACBATCH_FILE_MAX_LINE_MB * MEGABYTE,
    quota: quotaOf(config),
    reuse: config.MACBATCH_BATCH_LEDGER === 'on',
    fileExpirySeconds: config.MACBATCH_FILE_DAYS * DAY_SECONDS,
    retentionDays: config.MACBATCH_BATCH_DAYS,
  };
}

/** Reads the TLS certificate, if one is configured. Throws if only the certificate or only the key is configured, or if a file cannot be read. */
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
