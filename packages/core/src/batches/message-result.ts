import { memberTexts } from '../items/json-slice.ts';
import type { BatchEnd, BatchOutcome, BatchOutputLine } from './batch-output.ts';

/** Why a request has no outcome, by the end of its batch. */
const NOT_RUN: Readonly<Record<BatchEnd, string>> = {
  completed: errored('"api_error"', '"This request had no outcome when the batch ended."', 'null'),
  expired: '{"type":"expired"}',
  cancelled: '{"type":"canceled"}',
};

/** Anthropic's name for a kind of error. */
export function anthropicErrorType(status: number): string {
  switch (status) {
    case 401:
      return 'authentication_error';
    case 403:
      return 'permission_error';
    case 404:
      return 'not_found_error';
    case 409:
      return 'conflict_error';
    case 413:
      return 'request_too_large';
    case 429:
      return 'rate_limit_error';
    default:
      return status >= 500 ? 'api_error' : 'invalid_request_error';
  }
}

/** Writes the result of one request of a message batch. The message of the model server keeps its exact text. */
export function messageResultLine({ customId, output, error }: BatchOutcome, end: BatchEnd): BatchOutputLine {
  const line = (outcome: BatchOutputLine['outcome'], result: string): BatchOutputLine => ({
    file: 'output',
    outcome,
    text: `{"custom_id":${JSON.stringify(customId)},"result":${result}}`,
  });
  if (output !== null) return line('succeeded', `{"type":"succeeded","message":${output}}`);
  if (error === null) return line('not_run', NOT_RUN[end]);
  return line('failed', erroredResult(error));
}

function erroredResult(error: string): string {
  const { response, message = '"The request failed."' } = memberTexts(error);
  if (response === undefined) return errored('"api_error"', message, 'null');
  const {
    status_code: status = '500',
    body = 'null',
    request_id: requestId = 'null',
  } = memberTexts(response);
  const { error: answer = 'null' } = isObject(body) ? memberTexts(body) : {};
  const { type, message: said } = isObject(answer) ? memberTexts(answer) : {};
  // Servers with other forms of errors use other names too.
  const isAnthropic =
    isObject(body) && memberTexts(body)['type'] === '"error"' && isText(type) && isText(said);
  if (isAnthropic) return erroredWith(answer, requestId);
  const ownType = JSON.stringify(anthropicErrorType(Number(status)));
  return errored(ownType, isText(said) ? said : isText(answer) ? answer : message, requestId);
}

function errored(type: string, message: string, requestId: string): string {
  return erroredWith(`{"type":${type},"message":${message}}`, requestId);
}

function erroredWith(error: string, requestId: string): string {
  return `{"type":"errored","error":{"type":"error","error":${error},"request_id":${requestId}}}`;
}

function isObject(json: string): boolean {
  return json.trimStart().startsWith('{');
}

function isText(json: string | undefined): json is string {
  return json?.startsWith('"') ?? false;
}
