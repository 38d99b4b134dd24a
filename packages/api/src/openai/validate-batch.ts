import { LineProblem, ndjsonBatches } from '@macbatch/contract';
import { BatchCheck, type BatchInputError, type Item, parseBatchLine } from '@macbatch/core';
import type { Batch, BatchClaim, ItemSource, Store, StoredFile } from '@macbatch/store';
import { batchJobDraft } from './batch-job-draft.ts';
import type { BatchLimits } from './batch-limits.ts';
import { customIdHash } from './custom-id-hash.ts';
import { smallPieces } from './small-pieces.ts';

/**
 * Reads the input file of a batch and either submits its jobs or ends the batch with the errors of the file. Throws
 * `BatchClaimLost`, and the reason of `signal` when it aborts. Nothing is stored then.
 */
export async function validateBatch(
  store: Store,
  limits: BatchLimits,
  { claim, batch }: { readonly claim: BatchClaim; readonly batch: Batch },
  signal: AbortSignal,
): Promise<void> {
  const file = await store.files.find(batch.inputFileId);
  if (file === null) {
    const message = `The input file ${batch.inputFileId} does not exist any more.`;
    await fail(store, claim, [{ code: 'file_not_found', message, param: 'input_file_id', line: null }]);
    return;
  }
  const { errors, models } = await checkLines(store, limits, batch, file, signal);
  if (errors.length > 0) {
    await fail(store, claim, errors);
    return;
  }
  const jobs = models.map((model) => ({
    draft: batchJobDraft({
      ...limits,
      owner: batch.owner,
      endpoint: batch.endpoint,
      model,
      filename: file.filename,
    }),
    items: () => itemsOf(store, limits, batch, file, models.length === 1 ? null : model, signal),
  }));
  const refused = await store.batches.submit(claim, jobs);
  if (refused === null) return;
  if (refused.outcome !== 'over_quota')
    throw new Error(`A job of ${batch.id} was refused after its file was checked: ${refused.outcome}.`);
  const { items, payloadBytes } = refused.quota;
  const message = `The unfinished jobs of one group may have at most ${items} items and ${payloadBytes} bytes together. Create the batch again when others have ended.`;
  await fail(store, claim, [{ code: 'quota_exceeded', message, param: null, line: null }]);
}

async function fail(store: Store, claim: BatchClaim, errors: readonly BatchInputError[]): Promise<void> {
  await store.batches.fail(claim, JSON.stringify(errors));
}

/** The check itself is not returned: its hashes would stay in memory while the jobs are stored. */
async function checkLines(
  store: Store,
  limits: BatchLimits,
  batch: Batch,
  file: StoredFile,
  signal: AbortSignal,
): Promise<{ readonly errors: readonly BatchInputError[]; readonly models: readonly string[] }> {
  const check = new BatchCheck({ ...limits, endpoint: batch.endpoint }, customIdHash);
  try {
    for await (const lines of ndjsonBatches(smallPieces(store.files.read(file)), limits.maxFileLineBytes)) {
      signal.throwIfAborted();
      if (!lines.every(({ number, text }) => check.add(number, text))) break;
    }
  } catch (error) {
    if (!(error instanceof LineProblem)) throw error;
    check.addError({ code: error.code, message: `${error.message}.`, param: null, line: error.line });
  }
  return { errors: check.errors(), models: check.models() };
}

/** Reads the items of one model, or of all lines, from a file that was checked. */
async function* itemsOf(
  store: Store,
  limits: BatchLimits,
  batch: Batch,
  file: StoredFile,
  model: string | null,
  signal: AbortSignal,
): ItemSource {
  for await (const lines of ndjsonBatches(smallPieces(store.files.read(file)), limits.maxFileLineBytes)) {
    signal.throwIfAborted();
    const items = lines.flatMap(({ number, text }): Item[] => {
      const parsed = parseBatchLine(text, batch.endpoint);
      if (!parsed.ok) throw new Error(`Line ${number} of ${file.id} has changed since it was checked.`);
      const { customId, body } = parsed.line;
      return model === null || parsed.line.model === model ? [{ id: customId, payload: body }] : [];
    });
    if (items.length > 0) yield items;
  }
}
