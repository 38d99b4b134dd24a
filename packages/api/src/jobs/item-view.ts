import { type ItemView, type ListedItem, MAX_LISTED_MESSAGE } from '@macbatch/contract';
import { readItemFailure } from '@macbatch/core';
import type { JobItem, ListedItem as StoredItem } from '@macbatch/store';

/** An item as an entry of a list. */
export function listedItem(item: StoredItem): ListedItem {
  return {
    seq: item.seq,
    id: item.itemId,
    state: item.state,
    error_code: item.failure?.code ?? null,
    error_message: item.failure?.message.slice(0, MAX_LISTED_MESSAGE).toWellFormed() ?? null,
    worker: item.worker,
    attempt: item.attempt,
    leased_at: item.leasedAt?.toISOString() ?? null,
    finished_at: item.recordedAt?.toISOString() ?? null,
    input_bytes: item.inputBytes,
    output_bytes: item.outputBytes,
    reused: item.reused,
  };
}

/** An item with its texts. */
export function itemView({ result, ...item }: JobItem): ItemView {
  const failure = result === null || result.error === null ? null : readItemFailure(result.error);
  const bytesOf = (text: string) => Buffer.byteLength(text);
  const output = result?.output ?? null;
  return {
    seq: item.seq,
    id: item.itemId,
    state: item.state,
    error_code: failure?.code ?? null,
    error_message: failure?.message ?? null,
    worker: result?.worker ?? null,
    attempt: result?.attempt ?? null,
    leased_at: result?.leasedAt?.toISOString() ?? null,
    finished_at: result?.recordedAt?.toISOString() ?? null,
    input_bytes: bytesOf(item.input),
    output_bytes: output === null ? null : bytesOf(output),
    reused: result?.reused ?? false,
    input: item.input,
    params: item.params,
    output,
    error: result?.error ?? null,
    usage: result?.usage ?? null,
    model: result?.model ?? null,
    model_digest: result?.modelDigest ?? null,
    attempts: item.leases.map(({ attempt, worker, leasedAt, current }) => ({
      attempt,
      worker,
      leased_at: leasedAt.toISOString(),
      current,
    })),
  };
}
