import type { Outcome, ReportedError } from '@macbatch/contract';
import { messageOf } from '@macbatch/core';
import type { Sleep } from '../loops/backoff.ts';
import { RunFailure, type RunRequest, type Runtime } from '../runtimes/runtime.ts';

/** How the run of one item ended. */
export type ItemEnd =
  | { readonly kind: 'outcome'; readonly outcome: Outcome }
  /** It failed here again and again: an error of the task, which may succeed elsewhere. */
  | { readonly kind: 'failed'; readonly error: ReportedError }
  /** Nothing wrong with the item: this Mac can't run it now. */
  | { readonly kind: 'not_here'; readonly error: ReportedError }
  /** The process that ran it died: perhaps because of it. */
  | { readonly kind: 'crashed'; readonly error: ReportedError }
  | { readonly kind: 'aborted' };

/** What running an item needs of the world. */
export interface ItemRunDeps {
  readonly sleep: Sleep;
  /** Successful runs of this runtime so far; tells a server that is down from an item that brings it down. */
  readonly successes: () => number;
  readonly onSuccess: () => void;
}

/** Tries of an item that fails for reasons that may pass. */
const TRANSIENT_TRIES = 3;
const TRANSIENT_PAUSE_MS = 1000;

/** Pauses while a server starts or is full: 1, 2, 4, … at most 30 s, three and a half minutes in all. */
const WAITS = 10;
const WAIT_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 30_000;

/** Runs one item with the patience that the kind of failure deserves. Never rejects. */
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
      const failure = error instanceof RunFailure ? error : unexpected(error);
      const reported = reportable(failure);
      let pause: number;
      switch (failure.failure) {
        case 'permanent':
          return { kind: 'outcome', outcome: { item_id: itemId, error: reported } };
        case 'not_here':
          return { kind: 'not_here', error: reported };
        case 'crashed':
          return { kind: 'crashed', error: reported };
        case 'transient':
          transients += 1;
          if (transients >= TRANSIENT_TRIES) return { kind: 'failed', error: reported };
          pause = TRANSIENT_PAUSE_MS * transients;
          break;
        case 'wait':
          waits += 1;
          if (waits > WAITS) {
            // Others succeeded meanwhile, so the server is well: this item is what brings it down.
            const serverIsWell = deps.successes() > successesAtStart;
            return { kind: serverIsWell ? 'failed' : 'not_here', error: reported };
          }
          pause = Math.min(WAIT_PAUSE_MS * 2 ** (waits - 1), LONGEST_PAUSE_MS);
          break;
      }
      try {
        await deps.sleep(pause, request.signal);
      } catch {
        return { kind: 'aborted' };
      }
    }
  }
}

function unexpected(error: unknown): RunFailure {
  const message = messageOf(error);
  return new RunFailure('transient', 'runtime_error', message, { cause: error });
}

const LONGEST_MESSAGE = 2000;

function reportable(failure: RunFailure): ReportedError {
  return { code: failure.code, message: failure.message.slice(0, LONGEST_MESSAGE) };
}
