import { constants, createWriteStream } from 'node:fs';
import { access, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Client } from '@macbatch/client';
import { EXIT, Failure } from '@macbatch/terminal';

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
  const written = { ok: 0, error: 0 };
  async function* lines(): AsyncGenerator<string, void, undefined> {
    for await (const line of client.results(jobId, query, { signal })) {
      // Only the status is looked at; the line goes through as it is.
      const { status } = JSON.parse(line) as { readonly status: 'ok' | 'error' };
      written[status] += 1;
      yield `${line}\n`;
    }
  }
  if ('stream' in out) {
    await pipeline(lines, out.stream, { signal, end: false });
    return written;
  }
  const draft = `${out.path}.part`;
  try {
    await pipeline(lines, createWriteStream(draft), { signal });
    await rename(draft, out.path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  return written;
}

/** Ends with a `Failure` where no outcomes could be written to, which is better known before the job has run. */
export async function mustBeWritable(path: string): Promise<void> {
  const folder = dirname(path);
  try {
    await access(folder, constants.W_OK);
  } catch {
    throw new Failure(EXIT.usage, `--output: there is no folder ${folder} that can be written to`);
  }
}
