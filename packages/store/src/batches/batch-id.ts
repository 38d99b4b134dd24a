import { uuidv7 } from 'uuidv7';

/** The interface that a batch was created by. */
export type BatchApi = 'openai' | 'anthropic';

/** How the ids of batches begin. */
const ID_PREFIX: Readonly<Record<BatchApi, string>> = { openai: 'batch_', anthropic: 'msgbatch_' };

/** Makes an id. The order of ids is the order of creation. */
export function newBatchId(api: BatchApi): string {
  return `${ID_PREFIX[api]}${uuidv7().replaceAll('-', '')}`;
}

/** The interface of the batch with this id. */
export function apiOfBatch(id: string): BatchApi {
  return id.startsWith(ID_PREFIX.anthropic) ? 'anthropic' : 'openai';
}

/** Texts before and behind all ids of an interface. */
export function idRange(api: BatchApi): { readonly from: string; readonly to: string } {
  return { from: ID_PREFIX[api], to: `${ID_PREFIX[api]}g` }; // ids go on with hexadecimal digits
}
