import { isLocalNetworkHost, messageOf } from '@macbatch/core';
import { RunFailure } from '../runtime.ts';

/** The server was not reached: the request has not left. */
const UNREACHABLE = new Set([
  'ECONNREFUSED',
  'ETIMEDOUT',
  'ENETUNREACH',
  'ENETDOWN',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EADDRNOTAVAIL',
  'UND_ERR_CONNECT_TIMEOUT',
]);
/** The connection broke. The server may have worked on the request. */
const BROKEN = new Set([
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  // "other side closed"
  'UND_ERR_SOCKET',
  // The answer ended before its content-length, or "terminated" in the middle of a chunk.
  'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
]);
/** Codes of Node and OpenSSL for a certificate that is not trusted. */
const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ALTNAME/;
const NOT_TLS = new Set(['ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_PACKET_LENGTH_TOO_LONG', 'EPROTO']);
const TIMEOUTS = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']);

/**
 * Makes a failure of the error of a request without a whole reply. The message names `host` and no more of the URL.
 * `bytesArrived`: the headers of a reply had arrived.
 */
export function failureOfConnection(
  error: unknown,
  host: string,
  { bytesArrived = false, platform = process.platform } = {},
): RunFailure {
  const codes = codesOf(error);
  const because = (
    failure: 'not_here' | 'wait' | 'interrupted' | 'timeout' | 'transient',
    code: string,
    message: string,
  ) => new RunFailure(failure, code, message, { cause: error, bytesArrived });
  if (codes.includes('EHOSTUNREACH')) {
    return because(
      'wait',
      'server_unreachable',
      `no route to the model server ${host} (EHOSTUNREACH)${unreachableHint(host, platform)}`,
    );
  }
  const certificate = codes.find((code) => CERTIFICATE.test(code));
  if (certificate !== undefined) {
    return because(
      'not_here',
      'certificate_refused',
      `the certificate of the model server ${host} is not trusted (${certificate}): ${certificateHint(certificate)}`,
    );
  }
  if (codes.some((code) => NOT_TLS.has(code))) {
    return because(
      'not_here',
      'not_supported',
      `the model server ${host} does not speak TLS: begin its URL with http://`,
    );
  }
  const proxyStatus = /^Proxy response \((\d+)\)/.exec(messageOf(error))?.[1];
  if (proxyStatus !== undefined) {
    return because(
      proxyStatus === '407' ? 'not_here' : 'wait',
      proxyStatus === '407' ? 'unauthorized' : 'server_unreachable',
      `the proxy does not connect to the model server ${host}: it answered ${proxyStatus}`,
    );
  }
  if (codes.some((code) => TIMEOUTS.has(code))) {
    return because('timeout', 'timeout', `the model server ${host} did not answer in time`);
  }
  const unreachable = codes.find((code) => UNREACHABLE.has(code));
  if (unreachable !== undefined && !bytesArrived) {
    return because(
      'wait',
      'server_unreachable',
      `the model server ${host} is not reachable (${unreachable})`,
    );
  }
  const broken = codes.find((code) => BROKEN.has(code) || UNREACHABLE.has(code));
  if (broken !== undefined) {
    const when = bytesArrived ? 'in the middle of its answer' : 'before it answered';
    return because(
      'interrupted',
      'request_failed',
      `the model server ${host} closed the connection ${when} (${broken})`,
    );
  }
  return because(
    'transient',
    'request_failed',
    `the request to the model server ${host} failed (${codes[0] ?? 'no code'})`,
  );
}

/** macOS keeps a program without the permission out of the local network, and reports no route. */
function unreachableHint(host: string, platform: NodeJS.Platform): string {
  if (platform !== 'darwin' || !isLocalNetworkHost(host.replace(/:\d+$/, ''))) return '';
  return (
    ': allow this program under System Settings > Privacy & Security > Local Network, or install the worker with ' +
    '"macbatch worker install --boot"'
  );
}

function certificateHint(code: string): string {
  if (/ALTNAME/.test(code)) return 'it is for another host name';
  if (/EXPIRED|NOT_YET_VALID/.test(code)) return 'its time of validity is over or has not begun';
  return (
    'set MACBATCH_CA_FILE to a PEM file of the authority that issued it, or NODE_USE_SYSTEM_CA=1 to trust what ' +
    'this machine trusts'
  );
}

/** The codes of an error, of its causes, and of the errors in an AggregateError (one for each resolved address). */
function codesOf(error: unknown): readonly string[] {
  if (!(error instanceof Error)) return [];
  const own = 'code' in error && typeof error.code === 'string' ? [error.code] : [];
  const inner = error instanceof AggregateError ? error.errors.flatMap((one: unknown) => codesOf(one)) : [];
  return [...own, ...inner, ...codesOf(error.cause)];
}
