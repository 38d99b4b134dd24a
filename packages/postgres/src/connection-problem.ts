import { OpenPostgresError } from './open-postgres-error.ts';

/** Says what a failed first connection means and what to do. `server` must not hold a password. */
export function connectionProblem(cause: unknown, server: string, user: string): OpenPostgresError {
  const code = errorCode(cause);
  switch (code) {
    case '28P01':
    case '28000':
      return new OpenPostgresError(
        'wrong_password',
        `The Postgres server at ${server} refuses user "${user}" (${code}). ` +
          'Check user and password in the URL, and that pg_hba.conf lets them in from here.',
        { cause },
      );
    case '3D000':
      return new OpenPostgresError(
        'no_such_database',
        `The Postgres server at ${server} answers, but that database does not exist. ` +
          'Create it (createdb), or name another one in the URL.',
        { cause },
      );
    case '25006':
      return new OpenPostgresError(
        'read_only',
        `The Postgres server at ${server} takes no writes: it is a standby, or default_transaction_read_only is set. ` +
          'Name the primary, or all of them separated by commas.',
        { cause },
      );
    case '57P03':
    case '53300':
      return new OpenPostgresError(
        'not_ready',
        `The Postgres server at ${server} takes no connection now: ` +
          (code === '57P03' ? 'it is starting up or shutting down.' : 'it has too many already.') +
          ' Try again in a moment.',
        { cause },
      );
    default:
      return new OpenPostgresError(
        'unreachable',
        `No Postgres server can be reached at ${server} (${code}). ` +
          'Check host and port in the URL and that the server runs, or leave the URL out to use the embedded server.',
        { cause },
      );
  }
}

function errorCode(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
}
