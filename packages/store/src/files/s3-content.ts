import { messageOf } from '@macbatch/core';
import pRetry from 'p-retry';
import { chunkedContent } from './chunked-content.ts';
import type { FileContent } from './file-content.ts';

/** Never changed: see `ChunkStore`. */
const CHUNK_BYTES = 4 * 1024 * 1024;
const REQUEST_TIMEOUT_MS = 60_000;
const RETRIES = 3;
const FIRST_PAUSE_MS = 200;
/** Digits of a chunk's number in its key, so that a listing has the chunks in order. */
const POSITION_DIGITS = 8;

export interface S3Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/**
 * Opens an S3-compatible store for the bytes of files. The URL names the bucket and perhaps a prefix of keys:
 * `https://s3.example/bucket/prefix?region=eu-central-1`. It may contain the credentials as user name and password, which
 * precede `credentials`. Throws if the URL is wrong, or if the store says that the bucket does not exist or is not ours.
 * Calls `onUnreachable` if the store does not answer, perhaps for a moment only.
 */
export async function openS3Content(
  url: string,
  credentials: S3Credentials | null,
  onUnreachable: (error: Error) => void,
): Promise<FileContent> {
  const { endpoint, prefix, region, ...own } = parseS3Url(url);
  const keys = own.credentials ?? credentials;
  if (keys === null) throw new Error(`The store of files ${endpoint} needs an access key and its secret.`);
  // Loaded here, because only few control planes use it.
  const { S3mini, S3ServiceError } = await import('s3mini');
  const isFinal = (error: unknown) =>
    error instanceof S3ServiceError && error.status < 500 && error.status !== 429;
  const isNotFound = (error: unknown) => error instanceof S3ServiceError && error.status === 404;
  const client = new S3mini({ ...keys, endpoint, region, requestAbortTimeout: REQUEST_TIMEOUT_MS });
  const retrying = <Value>(request: () => Promise<Value>): Promise<Value> =>
    pRetry(request, {
      retries: RETRIES,
      minTimeout: FIRST_PAUSE_MS,
      shouldRetry: ({ error }) => !isFinal(error),
    });
  try {
    if (!(await client.bucketExists())) throw new BucketRefused(endpoint);
    // Some stores check the credentials only for objects.
    await client.getObjectRaw(`${prefix}not-there`, false, 0, 1);
  } catch (error) {
    if (error instanceof BucketRefused) throw error;
    if (isFinal(error)) {
      if (!isNotFound(error)) throw new BucketRefused(endpoint, error);
    } else onUnreachable(new Error(`The store of files ${endpoint} does not answer: ${messageOf(error)}`));
  }
  const folderOf = (file: string) => `${prefix}${file}/`;
  const keyOf = (file: string, position: number) =>
    `${folderOf(file)}${String(position).padStart(POSITION_DIGITS, '0')}`;
  return chunkedContent({
    storage: `s3:${endpoint}/${prefix}`,
    chunkBytes: CHUNK_BYTES,
    async put(file, position, data) {
      await retrying(() => client.putObject(keyOf(file, position), data, 'application/octet-stream'));
    },
    get: (file, position, skip, length) =>
      retrying(async () => {
        try {
          const reply = await client.getObjectRaw(keyOf(file, position), false, skip, skip + length);
          const data = Buffer.from(await reply.arrayBuffer());
          // A store that ignores ranges answers with the whole chunk.
          return reply.status === 206 ? data : data.subarray(skip, skip + length);
        } catch (error) {
          if (isNotFound(error)) return Buffer.alloc(0);
          throw error;
        }
      }),
    async deleteAll(file) {
      const found = await retrying(() => client.listObjects('/', folderOf(file)));
      const chunks = (found ?? []).map(({ Key }) => Key);
      if (chunks.length === 0) return;
      const deleted = await retrying(() => client.deleteObjects(chunks));
      if (deleted.includes(false)) throw new Error(`Not all chunks of the file ${file} could be deleted.`);
    },
  });
}

interface S3Place {
  /** With the bucket. */
  readonly endpoint: string;
  /** Empty, or with a slash at its end. */
  readonly prefix: string;
  readonly region: string;
  readonly credentials: S3Credentials | null;
}

/** Takes the URL of a store apart. Throws without repeating the URL, which may contain a secret. */
export function parseS3Url(url: string): S3Place {
  const parsed = URL.parse(url);
  if (parsed === null || !['http:', 'https:'].includes(parsed.protocol))
    throw new Error('The URL of the store of files must begin with https:// or http://.');
  const [bucket, ...folders] = parsed.pathname.split('/').filter((part) => part !== '');
  if (bucket === undefined)
    throw new Error(`The URL of the store of files on ${parsed.host} names no bucket.`);
  return {
    endpoint: `${parsed.origin}/${bucket}`,
    prefix: folders.map((folder) => `${decodeURIComponent(folder)}/`).join(''),
    region: parsed.searchParams.get('region') ?? 'auto',
    credentials:
      parsed.username === ''
        ? null
        : {
            accessKeyId: decodeURIComponent(parsed.username),
            secretAccessKey: decodeURIComponent(parsed.password),
          },
  };
}

/** The store has answered that there is no such bucket for these credentials. */
class BucketRefused extends Error {
  constructor(endpoint: string, cause?: unknown) {
    super(`The bucket ${endpoint} does not exist, or these credentials may not use it.`, { cause });
  }
}
