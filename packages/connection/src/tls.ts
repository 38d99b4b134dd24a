import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';
import { messageOf } from '@macbatch/core';
import { DatabaseUrlError } from './database-url-error.ts';

/** How to speak TLS with a server; false for not at all. */
export type Tls =
  | false
  | {
      /** Whether a server that has none is not talked to. */
      readonly required: boolean;
      readonly options: Pick<ConnectionOptions, 'ca' | 'rejectUnauthorized' | 'checkServerIdentity'>;
    };

const MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'];

/**
 * What a Postgres URL asks for by `sslmode` and `sslrootcert` (a file, or `system` for the roots that Node knows).
 * They mean what they mean to libpq, but nothing is asked for where neither is given, a root certificate alone
 * asks for `verify-full`, and `allow` is `prefer`.
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
  // Certificates of the world's authorities prove nothing but names.
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
