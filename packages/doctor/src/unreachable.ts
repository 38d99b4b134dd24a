import { type Finding, finding } from './finding.ts';

/** What the code of a connection's failure says to do; TLS has very many codes, of which most are about trust. */
const FIXES: readonly (readonly [RegExp, string])[] = [
  [/^ECONNREFUSED$/, 'Start it (macbatch up), or give its address with --url or MACBATCH_URL.'],
  [/^ENOTFOUND$|^EAI_AGAIN$/, 'See that the name is right, and that this machine can look it up.'],
  [/^CERT_HAS_EXPIRED$/, 'Renew the certificate of the control plane.'],
  [
    /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    'Use a name that stands in its certificate, or give it one for this name.',
  ],
  [
    /SELF_SIGNED|UNABLE_TO_|CERT_/,
    'Set MACBATCH_CA_FILE to the certificate of the CA that has signed its own.',
  ],
  [/SSL|EPROTO/, 'See whether it speaks TLS: use http instead of https, or the other way round.'],
];
const ELSE = 'See that the machine is on, in this network, and that no firewall is in between.';

/** A control plane to which no request gets through. */
export function unreachable(url: string, error: unknown): Finding {
  const { code, message } = rootOf(error);
  const fix = FIXES.find(([pattern]) => pattern.test(code))?.[1] ?? ELSE;
  return finding('control plane', 'fail', `${url} can not be reached: ${message}`, fix);
}

/** fetch says only "fetch failed"; why stands in the cause. */
function rootOf(error: unknown): { readonly code: string; readonly message: string } {
  if (!(error instanceof Error)) return { code: '', message: String(error) };
  if (error.cause instanceof Error) return rootOf(error.cause);
  const code = String(Reflect.get(error, 'code') ?? '');
  return { code, message: error.message || code };
}
