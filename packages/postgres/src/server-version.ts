import { OpenPostgresError } from './open-postgres-error.ts';

/** The oldest major version that macbatch supports. */
const OLDEST_MAJOR = 15;

/** Throws if a server is too old. @param versionNumber is `server_version_num`, such as 150004 */
export function requireSupportedVersion(versionNumber: number, server: string): void {
  const major = Math.floor(versionNumber / 10_000);
  if (major >= OLDEST_MAJOR) return;
  throw new OpenPostgresError(
    'too_old',
    `The Postgres server at ${server} is version ${major}; macbatch needs ${OLDEST_MAJOR} or newer. ` +
      'Upgrade it, or omit the URL to use the embedded server.',
  );
}
