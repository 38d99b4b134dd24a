import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Client } from '@macbatch/client';
import type { OutputTarget } from './output-target.ts';

/** The number of lines written, by status. */
export interface Written {
  readonly ok: number;
  readonly error: number;
}

/** Selects outcomes. Empty selects all. */
export interface OutcomeQuery {
  readonly item_id?: string;
  readonly status?: 'ok' | 'error';
}

/** Writes the outcomes of a job, one line per item, in the order of submission. (write-file-atomic takes no streams.) */
export async function writeOutcomes(
  client: Client,
  jobId: string,
  query: OutcomeQuery,
  out: OutputTarget | { readonly kind: 'stream'; readonly stream: Writable },
  signal: AbortSignal,
): Promise<Written> {
  const written = { ok: 0, error: 0 };
  async function* lines(): AsyncGenerator<string, void, undefined> {
    for await (const line of client.results(jobId, query, { signal })) {
      // The line itself is written unchanged.
      const { status } = JSON.parse(line) as { readonly status: 'ok' | 'error' };
      written[status] += 1;
      yield `${line}\n`;
    }
  }
  if (out.kind === 'stream') {
    await pipeline(lines, out.stream, { signal, end: false });
    return written;
  }
  if (out.kind === 'special') {
    await pipeline(lines, createWriteStream(out.path), { signal });
    return written;
  }
  try {
    await pipeline(lines, createWriteStream(out.draft), { signal });
    await rename(out.draft, out.path);
  } catch (error) {
    await rm(out.draft, { force: true });
    throw error;
  }
  return written;
}
