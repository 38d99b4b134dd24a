import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { rename } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import type { Client } from '@macbatch/client';

/** How many lines of each kind were written. */
export interface Written {
  readonly ok: number;
  readonly error: number;
}

/** Which outcomes: all when empty. */
export interface OutcomeQuery {
  readonly item_id?: string;
  readonly status?: 'ok' | 'error';
}

/**
 * Writes a job's outcomes, a line an item in the order of submission. A file appears whole or not at all:
 * it is written beside its place and moved there at the end.
 */
export async function writeOutcomes(
  client: Client,
  jobId: string,
  query: OutcomeQuery,
  out: { readonly path: string } | { readonly stream: Writable },
  signal: AbortSignal,
): Promise<Written> {
  if ('stream' in out) return copyOutcomes(client, jobId, query, out.stream, signal);
  const draft = `${out.path}.part`;
  const stream = createWriteStream(draft);
  const written = await copyOutcomes(client, jobId, query, stream, signal);
  stream.end();
  await once(stream, 'close');
  await rename(draft, out.path);
  return written;
}

async function copyOutcomes(
  client: Client,
  jobId: string,
  query: OutcomeQuery,
  stream: Writable,
  signal: AbortSignal,
): Promise<Written> {
  const written = { ok: 0, error: 0 };
  for await (const line of client.results(jobId, query, { signal })) {
    // Only the status is looked at; the line goes through as it is.
    const status = (JSON.parse(line) as { status: 'ok' | 'error' }).status;
    written[status] += 1;
    if (!stream.write(`${line}\n`)) await once(stream, 'drain', { signal });
  }
  return written;
}
