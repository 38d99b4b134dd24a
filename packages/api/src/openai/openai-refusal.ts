import { type OpenAiError, PROBLEMS } from '@macbatch/contract';
import { RefusedRequest } from '../requests/refused-request.ts';

/** Thrown to refuse a request of the OpenAI interface with an error code of its own. Nothing of it is stored. */
export class OpenAiRefusal extends Error {
  override readonly name = 'OpenAiRefusal';
  readonly status: number;
  readonly code: string | null;
  readonly param: string | null;
  constructor(status: number, code: string | null, message: string, param: string | null = null) {
    super(message);
    this.status = status;
    this.code = code;
    this.param = param;
  }
}

/** The response of a refused request, in the form that OpenAI's client libraries read. */
export function openAiErrorResponse(refusal: OpenAiRefusal | RefusedRequest): Response {
  const { status, code, param } = refusal instanceof RefusedRequest ? translated(refusal) : refusal;
  const body: OpenAiError = { error: { message: refusal.message, type: errorType(status), param, code } };
  const retryAfter = refusal instanceof RefusedRequest ? refusal.retryAfterSeconds : null;
  return new Response(JSON.stringify(body), {
    status,
    headers: {
      'content-type': 'application/json',
      // The client libraries of OpenAI would send a request again after a conflict.
      ...(status === 409 ? { 'x-should-retry': 'false' } : {}),
      // The rest of the body is not read, so the connection cannot be reused.
      ...(status === 413 || status === 408 ? { connection: 'close', 'x-should-retry': 'false' } : {}),
      ...(status === 401 ? { 'www-authenticate': 'Bearer realm="macbatch"' } : {}),
      ...(retryAfter === null ? {} : { 'retry-after': String(retryAfter) }),
    },
  });
}

/** Status, code and field of a refusal of the native interface. */
function translated({ code, place }: RefusedRequest): Pick<OpenAiRefusal, 'status' | 'code' | 'param'> {
  const isKey = code === 'unauthenticated' || code === 'invalid_key';
  return {
    status: PROBLEMS[code].status,
    code: isKey ? 'invalid_api_key' : code,
    param: place.field ?? null,
  };
}

/** OpenAI's name for a kind of error. */
function errorType(status: number): string {
  if (status === 403) return 'permission_error';
  if (status === 429) return 'rate_limit_error';
  return status >= 500 ? 'server_error' : 'invalid_request_error';
}
