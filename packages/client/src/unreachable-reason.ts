/** Returns the error code of the innermost cause. */
export function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  return error.cause instanceof Error ? codeOf(error.cause) : String(Reflect.get(error, 'code') ?? '');
}

const WRONG_HOST = /ALTNAME/;
const UNTRUSTED = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER/;
const NO_TLS = /WRONG_VERSION|PACKET_LENGTH_TOO_LONG|SSL_HTTP_REQUEST/;

/** Whether a code of OpenSSL or Node means that TLS with this server fails at each try. */
export function isTlsRefusal(code: string): boolean {
  return [WRONG_HOST, UNTRUSTED, NO_TLS].some((pattern) => pattern.test(code));
}

/** Says why a request to `url` got no answer, and what to do if a person can do something. */
export function unreachableReason(url: string, error: unknown): string {
  const code = codeOf(error);
  const reason = reasonOf(error);
  if (WRONG_HOST.test(code)) return `${reason}. Use the host name that the certificate is for.`;
  if (UNTRUSTED.test(code))
    return `its certificate is not trusted (${code}). Set MACBATCH_CA_FILE to a PEM file of the authority that issued it.`;
  if (NO_TLS.test(code)) return 'it does not speak TLS. If it has no TLS, write http:// instead of https://.';
  // A TLS server ends a connection that does not begin with a handshake.
  const brokeOff = reason === 'other side closed' || code.startsWith('HPE_') || code === 'ECONNRESET';
  if (brokeOff && url.startsWith('http:'))
    return `it closed the connection (${reason}). If it serves TLS, write https:// instead of http://.`;
  return reason;
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // fetch only says "fetch failed"; the cause says why.
  return error.cause instanceof Error
    ? reasonOf(error.cause)
    : error.message || String(Reflect.get(error, 'code'));
}
