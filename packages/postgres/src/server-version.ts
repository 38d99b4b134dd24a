import { OpenPostgresError } from './open-postgres-error.ts';

/** The oldest major version macbatch's statements run on. */
const OLDEST_MAJOR = 15;

/** @param versionNumber Postgres' `server_version_num`, e.g. 150004 */
export function requireSupportedVersion(versionNumber: number, server: string): void {
  const major = Math.floor(versionNumber / 10_000);
  if (major >= OLDEST_MAJOR) return;
  throw new OpenPostgresError(
    'too_old',
    `The Postgres server at ${server} is version ${major}; macbatch needs ${OLDEST_MAJOR} or newer. ` +
      'Upgrade it, or leave the URL out to use the embedded server.',
  );
}
