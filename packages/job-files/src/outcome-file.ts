import { constants, createWriteStream } from 'node:fs';
import { access, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Client } from '@macbatch/client';
import { EXIT, Failure } from '@macbatch/terminal';

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

/**
 * Writes the outcomes of a job, one line per item, in the order of submission. A file appears whole or not at all:
 * writes a draft beside it and renames the draft at the end. (write-file-atomic takes no streams.)
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
      // The line itself is written unchanged.
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

/** Throws a `Failure` if the folder of a path is not writable. Called before the job runs. */
export async function mustBeWritable(path: string): Promise<void> {
  const folder = dirname(path);
  try {
    await access(folder, constants.W_OK);
  } catch {
    throw new Failure(EXIT.usage, `--output: there is no folder ${folder} that can be written to`);
  }
}
