import { type Finding, finding } from './finding.ts';

/** The fix for each error code of a connection. Most of the many TLS codes are about trust. */
const FIXES: readonly (readonly [RegExp, string])[] = [
  [/^ECONNREFUSED$/, 'Start it (macbatch up), or set its URL with --url or MACBATCH_URL.'],
  [
    /^EHOSTUNREACH$/,
    'Check that the machine is on and in this network. On a Mac, also allow this program in System Settings > Privacy & Security > Local Network.',
  ],
  [/^ENOTFOUND$|^EAI_AGAIN$/, 'Check that the name is correct and that this machine can resolve it.'],
  [/^CERT_HAS_EXPIRED$/, 'Renew the certificate of the control plane.'],
  [
    /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    'Use a name in its certificate, or install a certificate for this name.',
  ],
  [
    /SELF_SIGNED|UNABLE_TO_|CERT_/,
    'Set MACBATCH_CA_FILE to the certificate of the CA that signed its certificate.',
  ],
  [/SSL|EPROTO/, 'Check whether it uses TLS: use http instead of https, or https instead of http.'],
];
const DEFAULT_FIX =
  'Check that the machine is on, that it is in this network, and that no firewall blocks it.';

/** Describes a control plane that cannot be reached. */
export function unreachable(url: string, error: unknown): Finding {
  const { code, message } = rootOf(error);
  const fix = FIXES.find(([pattern]) => pattern.test(code))?.[1] ?? DEFAULT_FIX;
  return finding('control plane', 'fail', `${url} cannot be reached: ${message}`, fix);
}

/** The message of fetch is only "fetch failed"; the reason is in the cause. */
function rootOf(error: unknown): { readonly code: string; readonly message: string } {
  if (!(error instanceof Error)) return { code: '', message: String(error) };
  if (error.cause instanceof Error) return rootOf(error.cause);
  const code = String(Reflect.get(error, 'code') ?? '');
  return { code, message: error.message || code };
}
