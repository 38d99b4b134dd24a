import {
  type BatchEnd,
  type BatchState,
  BatchUsageSum,
  batchOutputLine,
  messageResultLine,
} from '@macbatch/core';
import type { Batch, BatchClaim, FileUpload, Store } from '@macbatch/store';
import type { BatchLimits } from './batch-limits.ts';

/** Characters of lines that are collected before they are written. */
const TEXT_A_WRITE = 256 * 1024;

/** How a batch in this state will end; null if it does not end now. */
function endOf(state: BatchState): BatchEnd | null {
  switch (state) {
    case 'finalizing':
      return 'completed';
    case 'expiring':
      return 'expired';
    case 'cancelling':
      return 'cancelled';
    default:
      return null;
  }
}

/**
 * Writes the output file and the error file of a batch and ends it. Every request gets one line in one of them. A batch
 * of Anthropic's interface has all lines in the output file. Throws
 * `BatchClaimLost`, and the reason of `signal` when it aborts: the files are then removed, and the next claim begins
 * again.
 */
export async function finalizeBatch(
  store: Store,
  limits: BatchLimits,
  { claim, batch }: { readonly claim: BatchClaim; readonly batch: Batch },
  signal: AbortSignal,
): Promise<void> {
  const end = endOf(batch.state);
  if (end === null) throw new Error(`${batch.id} is ${batch.state}: it has no files to write.`);
  const ids = (await store.batches.jobs(batch.id)).map(({ id }) => id);
  if (end !== 'completed') await Promise.all(ids.map((id) => store.cancelJob(id)));
  // Read after the cancel: no outcome is recorded any more.
  const jobs = await store.batches.jobs(batch.id);
  const files = {
    output: new OutcomeFile(store, batch, 'output'),
    error: new OutcomeFile(store, batch, 'error'),
  };
  const usage = new BatchUsageSum();
  const counts = { succeeded: 0, failed: 0, not_run: 0 };
  try {
    for await (const items of store.batches.items(jobs)) {
      signal.throwIfAborted();
      for (const item of items) {
        usage.add(item.usage);
        const line =
          batch.api === 'anthropic'
            ? messageResultLine(item, end)
            : batchOutputLine(item, end, requestId(batch, item));
        counts[line.outcome] += 1;
        await files[line.file].add(line.text);
      }
    }
    await Promise.all([files.output.end(), files.error.end()]);
    await store.batches.finish(claim, {
      outputFileId: files.output.id,
      errorFileId: files.error.id,
      completed: counts.succeeded,
      failed: counts.failed + counts.not_run,
      notRun: counts.not_run,
      usage: JSON.stringify(usage.sum()),
      expiresInSeconds: batch.outputExpiresSeconds ?? limits.fileExpirySeconds,
    });
  } catch (error) {
    await Promise.allSettled([files.output.abort(), files.error.abort()]);
    throw error;
  }
}

/** Distinguishes a request among all requests. The same whenever the file is written. */
function requestId(
  batch: Batch,
  { jobPosition, seq }: { readonly jobPosition: number; readonly seq: number },
): string {
  const hex = (number: number, digits: number) => number.toString(16).padStart(digits, '0');
  return `${batch.id.replace('batch_', '')}${hex(jobPosition, 2)}${hex(seq, 8)}`;
}

/** A file that exists only if a line is written to it. */
class OutcomeFile {
  readonly #store: Store;
  readonly #batch: Batch;
  readonly #kind: 'output' | 'error';
  #upload: FileUpload | undefined;
  #text: string[] = [];
  #textLength = 0;

  constructor(store: Store, batch: Batch, kind: 'output' | 'error') {
    this.#store = store;
    this.#batch = batch;
    this.#kind = kind;
  }

  get id(): string | null {
    return this.#upload?.id ?? null;
  }

  async add(line: string): Promise<void> {
    this.#text.push(line, '\n');
    this.#textLength += line.length + 1;
    if (this.#textLength >= TEXT_A_WRITE) await this.#write();
  }

  async end(): Promise<void> {
    if (this.#textLength > 0) await this.#write();
    await this.#upload?.end();
  }

  async abort(): Promise<void> {
    await this.#upload?.abort();
  }

  async #write(): Promise<void> {
    this.#upload ??= await this.#store.files.upload({
      owner: this.#batch.owner,
      purpose: 'batch_output',
      filename: `${this.#batch.id}_${this.#kind}.jsonl`,
      quotaBytes: null,
    });
    const bytes = Buffer.from(this.#text.join(''));
    this.#text = [];
    this.#textLength = 0;
    await this.#upload.write(bytes);
  }
}
