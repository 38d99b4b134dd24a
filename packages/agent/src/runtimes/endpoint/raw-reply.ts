import { MAX_ERROR_BODY_LENGTH } from '@macbatch/contract';
import { member, parseJson } from '../json-value.ts';
import { RunFailure } from '../runtime.ts';
import { emptyReply } from './empty-reply.ts';
import { replyText } from './reply-json.ts';
import type { ReplyHeaders } from './retry-after.ts';
import { failureOfReply } from './server-failure.ts';
import { isWebPage } from './web-page.ts';

const MAX_REQUEST_ID_LENGTH = 200;
/** Characters that are kept of an error's body that is not JSON, or too long. */
const MAX_EXCERPT_LENGTH = 2000;

/** What a model server answered to a raw request. `body` must not contain secrets: the submitter sees it. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: ReplyHeaders;
  readonly body: string;
}

/** The answer to a raw request that succeeded. */
export interface RawOutput {
  /** JSON text. */
  readonly output: string;
  /** The id that the server gave to the request; undefined if it gave none. */
  readonly requestId: string | undefined;
}

/**
 * Reads the answer to a raw request, which its status alone judges: the body of a 2xx is the output, as it is. Only
 * line ends between values become spaces, because outcomes are lines. Throws a `RunFailure` that has the server's
 * answer for any other status, and one for a 2xx without JSON.
 */
export function rawOutput({ status, headers, body }: RawAnswer, nowMs: number): RawOutput {
  if (!isSuccess(status)) throw rawFailure({ status, headers, body }, nowMs);
  const text = replyText(body);
  if (text !== undefined) return { output: oneLine(text), requestId: requestId(headers) };
  if (isWebPage(body)) throw failureOfReply({ status, headers, body }, nowMs);
  if (body.trim() === '') throw emptyReply('the body is empty');
  throw new RunFailure(
    'transient',
    'unreadable_answer',
    `the model server answered ${status} with a body that is not JSON: ${body.trim().slice(0, 200)}`,
  );
}

/** Whether a status says that the whole answer is in the body. A 206 has a part, and no request asks for one. */
export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300 && status !== 206;
}

function rawFailure(answer: RawAnswer, nowMs: number): RunFailure {
  const { status, headers, body } = answer;
  const failure = failureOfReply({ status, body, headers }, nowMs);
  const param = member(member(parseJson(body), 'error'), 'param');
  // The path exists: something that the body names does not.
  const isOfItem = status === 404 && failure.code === 'not_supported' && typeof param === 'string';
  const judged = isOfItem ? new RunFailure('rejected', 'invalid_request', failure.message) : failure;
  const id = requestId(headers);
  return judged.answeredWith({
    status_code: status,
    ...(id === undefined ? {} : { request_id: id }),
    body: errorBody(body),
  });
}

/** The body as JSON text: as it is if it is JSON and not too long, otherwise an error with its beginning as message. */
function errorBody(body: string): string {
  const text = oneLine(replyText(body) ?? '');
  if (text !== '' && text.length <= MAX_ERROR_BODY_LENGTH) return text;
  const message = body.trim().slice(0, MAX_EXCERPT_LENGTH).toWellFormed();
  return JSON.stringify({ error: { message, type: null, param: null, code: null } });
}

function requestId(headers: ReplyHeaders): string | undefined {
  const id = headers['x-request-id'] ?? headers['request-id'];
  const isKept = typeof id === 'string' && /^[\x21-\x7e]+$/.test(id) && id.length <= MAX_REQUEST_ID_LENGTH;
  return isKept ? id : undefined;
}

/** Replaces line ends, which JSON has only between values. */
function oneLine(json: string): string {
  return json.trim().replace(/[\r\n]/g, ' ');
}
