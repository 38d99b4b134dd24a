import { RunFailure } from '../runtime.ts';

const UNREACHABLE = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'ENETUNREACH',
  'ENETDOWN',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
  // "other side closed": the server closed the connection before it answered.
  'UND_ERR_SOCKET',
]);
const TIMEOUTS = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']);

/** Makes a failure of the error of a request without a reply. The message names `host` and no more of the URL. */
export function failureOfConnection(error: unknown, host: string): RunFailure {
  const codes = codesOf(error);
  const because = (failure: 'wait' | 'transient', code: string, message: string) =>
    new RunFailure(failure, code, message, { cause: error });
  if (codes.includes('EHOSTUNREACH')) {
    return because(
      'wait',
      'server_unreachable',
      `no route to the model server ${host} (EHOSTUNREACH): on a Mac, allow this program under ` +
        'System Settings > Privacy & Security > Local Network',
    );
  }
  if (codes.some((code) => TIMEOUTS.has(code))) {
    return because('transient', 'timeout', `the model server ${host} did not answer in time`);
  }
  const unreachable = codes.find((code) => UNREACHABLE.has(code));
  if (unreachable !== undefined) {
    return because(
      'wait',
      'server_unreachable',
      `the model server ${host} is not reachable (${unreachable})`,
    );
  }
  return because(
    'transient',
    'request_failed',
    `the request to the model server ${host} failed (${codes[0] ?? 'no code'})`,
  );
}

/** The codes of an error, of its causes, and of the errors in an AggregateError (one for each resolved address). */
function codesOf(error: unknown): readonly string[] {
  if (!(error instanceof Error)) return [];
  const own = 'code' in error && typeof error.code === 'string' ? [error.code] : [];
  const inner = error instanceof AggregateError ? error.errors.flatMap((one: unknown) => codesOf(one)) : [];
  return [...own, ...inner, ...codesOf(error.cause)];
}
