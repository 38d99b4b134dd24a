import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';
import { messageOf } from '@macbatch/core';
import { DatabaseUrlError } from './database-url-error.ts';

/** How to use TLS with a server; false for no TLS. */
export type Tls =
  | false
  | {
      /** Refuse a server without TLS. */
      readonly required: boolean;
      readonly options: Pick<ConnectionOptions, 'ca' | 'rejectUnauthorized' | 'checkServerIdentity'>;
    };

const MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'];

/**
 * Reads `sslmode` and `sslrootcert` of a Postgres URL. `sslrootcert` names a file, or `system` for the root
 * certificates of Node. The meaning is libpq's, with three differences: without both there is no TLS, `sslrootcert`
 * alone means `verify-full`, and `allow` means `prefer`.
 *
 * @throws {DatabaseUrlError}
 */
export function tlsOf({ searchParams }: URL): Tls {
  const root = searchParams.get('sslrootcert');
  const given = searchParams.get('sslmode') ?? searchParams.get('ssl');
  const mode = given === 'true' ? 'require' : given === 'false' ? 'disable' : given;
  if (mode !== null && !MODES.includes(mode))
    throw new DatabaseUrlError(`sslmode in the Postgres URL must be one of ${MODES.join(', ')}.`);
  if (mode === 'disable' || (mode === null && root === null)) return false;
  if (mode === 'allow' || mode === 'prefer' || (mode === 'require' && root === null))
    return { required: mode === 'require', options: { rejectUnauthorized: false } };
  const options = root === null || root === 'system' ? {} : { ca: rootCertificate(root) };
  // Public authorities certify anybody's host, so with them the name must be checked.
  const anyName = root !== 'system' && (mode === 'verify-ca' || mode === 'require');
  return {
    required: true,
    options: anyName ? { ...options, checkServerIdentity: () => undefined } : options,
  };
}

function rootCertificate(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    const reason = messageOf(cause);
    throw new DatabaseUrlError(`sslrootcert in the Postgres URL can't be read: ${reason}`, { cause });
  }
}
