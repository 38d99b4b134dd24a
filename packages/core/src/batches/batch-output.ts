import { memberTexts } from '../items/json-slice.ts';

/** An item of a batch's job at the end of the batch. */
export interface BatchOutcome {
  readonly customId: string;
  /** The exact JSON text of the server's answer; null if there is none. */
  readonly output: string | null;
  /** JSON text of the item's error; null if there is none. */
  readonly error: string | null;
  /** The id that the model server gave to a request that succeeded; null if it gave none. */
  readonly requestId: string | null;
}

/** How a batch ends, which says why a request has no outcome. */
export type BatchEnd = 'completed' | 'expired' | 'cancelled';

export interface BatchOutputLine {
  readonly file: 'output' | 'error';
  /** `not_run`: the request has no outcome. */
  readonly outcome: 'succeeded' | 'failed' | 'not_run';
  /** JSON text without the line end. */
  readonly text: string;
}

const NOT_RUN: Readonly<Record<BatchEnd, { readonly code: string; readonly message: string }>> = {
  completed: { code: 'batch_incomplete', message: 'This request had no outcome when the batch ended.' },
  expired: {
    code: 'batch_expired',
    message: 'This request could not be executed before the batch expired.',
  },
  cancelled: {
    code: 'batch_cancelled',
    message: 'This request was not executed because the batch was cancelled.',
  },
};

/**
 * Writes the line of one request. An answer of the model server keeps its exact text, whether it is a success or an
 * error. `id` distinguishes the request among all requests.
 */
export function batchOutputLine(
  { customId, output, error, requestId }: BatchOutcome,
  end: BatchEnd,
  id: string,
): BatchOutputLine {
  const line = (
    outcome: BatchOutputLine['outcome'],
    response: string,
    errorText: string,
  ): BatchOutputLine => ({
    file: outcome === 'succeeded' ? 'output' : 'error',
    outcome,
    text: `{"id":"batch_req_${id}","custom_id":${JSON.stringify(customId)},"response":${response},"error":${errorText}}`,
  });
  if (output !== null)
    return line(
      'succeeded',
      `{"status_code":200,"request_id":${JSON.stringify(requestId ?? `req_${id}`)},"body":${output}}`,
      'null',
    );
  if (error === null) return line('not_run', 'null', JSON.stringify(NOT_RUN[end]));
  const { response, code = '"request_failed"', message = '"The request failed."' } = memberTexts(error);
  if (response !== undefined) {
    const { status_code: status = '500', body = 'null', request_id: ownId } = memberTexts(response);
    return line(
      'failed',
      `{"status_code":${status},"request_id":${ownId ?? `"req_${id}"`},"body":${body}}`,
      'null',
    );
  }
  return line('failed', 'null', `{"code":${code},"message":${message}}`);
}
