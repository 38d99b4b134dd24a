import { messageOf } from '@macbatch/core';
import { RunFailure, type RunRequest, type Runtime } from '../runtimes/runtime.ts';
import type { ItemEnd } from '../worker/item-end.ts';

/** Runs one item once. What a failure means, and when the item runs again, is decided in `worker/`. Never rejects. */
export async function runItem(
  runtime: Runtime,
  itemId: string,
  request: RunRequest,
  random: () => number,
): Promise<ItemEnd> {
  try {
    const { output, model, usage, requestId } = await runtime.run(request);
    const named = requestId === undefined ? {} : { request_id: requestId };
    return { kind: 'outcome', outcome: { item_id: itemId, output, model, usage, ...named } };
  } catch (thrown) {
    if (request.signal.aborted) return { kind: 'aborted' };
    const failure = thrown instanceof RunFailure ? thrown : unexpectedFailure(thrown);
    const { code, message, response } = failure;
    const error = { code, message, ...(response === null ? {} : { response }) };
    switch (failure.failure) {
      case 'permanent':
        return { kind: 'outcome', outcome: { item_id: itemId, error, ...failure.ran } };
      case 'not_here': {
        const { withdraws, mayBeOfItem } = failure;
        return {
          kind: 'not_here',
          error,
          ...(withdraws === null ? {} : { withdraws }),
          ...(mayBeOfItem ? { mayBeOfItem } : {}),
        };
      }
      case 'crashed':
        return { kind: 'crashed', error };
      case 'rejected':
      case 'wait':
      case 'overload':
      case 'interrupted':
      case 'timeout':
      case 'transient': {
        const { retryAfterMs, bytesArrived } = failure;
        return {
          kind: 'failed',
          failure: failure.failure,
          error,
          retryAfterMs,
          bytesArrived,
          jitter: random(),
        };
      }
    }
  }
}

function unexpectedFailure(error: unknown): RunFailure {
  return new RunFailure('transient', 'runtime_error', messageOf(error), { cause: error });
}
