import { randomUUID } from 'node:crypto';
import { type AnthropicError, PROBLEMS } from '@macbatch/contract';
import { anthropicErrorType } from '@macbatch/core';
import { RefusedRequest } from '../requests/refused-request.ts';

/** Thrown to refuse a request of Anthropic's interface. Nothing of it is stored. */
export class AnthropicRefusal extends Error {
  override readonly name = 'AnthropicRefusal';
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** The header in which Anthropic's client libraries look for the id of a request. */
export const REQUEST_ID_HEADER = 'request-id';

export function newRequestId(): string {
  return `req_${randomUUID().replaceAll('-', '')}`;
}

/** The response of a refused request, in the form that Anthropic's client libraries read. */
export function anthropicErrorResponse(
  refusal: Pick<AnthropicRefusal, 'status' | 'message'> | RefusedRequest,
): Response {
  const status = refusal instanceof RefusedRequest ? PROBLEMS[refusal.code].status : refusal.status;
  const retryAfter = refusal instanceof RefusedRequest ? refusal.retryAfterSeconds : null;
  const requestId = newRequestId();
  const body: AnthropicError = {
    type: 'error',
    error: { type: anthropicErrorType(status), message: refusal.message },
    request_id: requestId,
  };
  return new Response(JSON.stringify(body), {
    status,
    headers: {
      'content-type': 'application/json',
      [REQUEST_ID_HEADER]: requestId,
      // The client libraries would send a request again after a conflict.
      ...(status === 409 ? { 'x-should-retry': 'false' } : {}),
      // The rest of the body is not read, so the connection cannot be reused.
      ...(status === 413 || status === 408 ? { connection: 'close', 'x-should-retry': 'false' } : {}),
      ...(retryAfter === null ? {} : { 'retry-after': String(retryAfter) }),
    },
  });
}
