import type { ReportedError } from '@macbatch/contract';
import { messageOf } from '@macbatch/core';
import type { Sleep } from '../loops/backoff.ts';
import { RunFailure, type RunRequest, type Runtime } from '../runtimes/runtime.ts';
import type { ItemEnd } from '../worker/item-end.ts';

/** What running an item needs from outside. */
export interface ItemRunDeps {
  readonly sleep: Sleep;
  /** Successful runs of this runtime so far. */
  readonly successes: () => number;
  readonly onSuccess: () => void;
}

/** Tries of an item that fails transiently. */
const TRANSIENT_TRIES = 3;
const TRANSIENT_PAUSE_MS = 1000;

/** Pauses while a server starts or is full: 1, 2, 4, … at most 30 s, three minutes in all. */
const MAX_WAITS = 10;
const WAIT_PAUSE_MS = 1000;
const MAX_WAIT_PAUSE_MS = 30_000;

/** Longest message of an error that is reported, in characters. */
const MAX_MESSAGE_LENGTH = 2000;

/** Runs one item, with retries that depend on the class of its failures. Never rejects. */
export async function runItem(
  runtime: Runtime,
  itemId: string,
  request: RunRequest,
  deps: ItemRunDeps,
): Promise<ItemEnd> {
  let transients = 0;
  let waits = 0;
  const successesAtStart = deps.successes();
  for (;;) {
    try {
      const { output, model, usage } = await runtime.run(request);
      deps.onSuccess();
      return { kind: 'outcome', outcome: { item_id: itemId, output, model, usage } };
    } catch (error) {
      if (request.signal.aborted) return { kind: 'aborted' };
      const failure = error instanceof RunFailure ? error : unexpectedFailure(error);
      const reported = reportedError(failure);
      let pauseMs: number;
      switch (failure.failure) {
        case 'permanent':
          return { kind: 'outcome', outcome: { item_id: itemId, error: reported } };
        case 'not_here': {
          const { withdraws } = failure;
          return { kind: 'not_here', error: reported, ...(withdraws === null ? {} : { withdraws }) };
        }
        case 'crashed':
        case 'interrupted':
          return { kind: 'crashed', error: reported };
        case 'timeout':
        case 'transient':
          transients += 1;
          if (transients >= TRANSIENT_TRIES) return { kind: 'failed', error: reported };
          pauseMs = TRANSIENT_PAUSE_MS * transients;
          break;
        case 'overload':
        case 'wait':
          waits += 1;
          if (waits > MAX_WAITS) {
            // If other items succeeded during these waits, the server works and this item crashes it.
            const othersSucceeded = deps.successes() > successesAtStart;
            return { kind: othersSucceeded ? 'failed' : 'not_here', error: reported };
          }
          pauseMs = Math.min(WAIT_PAUSE_MS * 2 ** (waits - 1), MAX_WAIT_PAUSE_MS);
          break;
      }
      try {
        await deps.sleep(pauseMs, request.signal);
      } catch {
        return { kind: 'aborted' };
      }
    }
  }
}

function unexpectedFailure(error: unknown): RunFailure {
  return new RunFailure('transient', 'runtime_error', messageOf(error), { cause: error });
}

function reportedError({ code, message }: RunFailure): ReportedError {
  return { code, message: message.slice(0, MAX_MESSAGE_LENGTH) };
}
