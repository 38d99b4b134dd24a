import { OpenPostgresError } from './open-postgres-error.ts';

/** Explains a failed first connection and says what to do. `server` must not contain a password. */
export function connectionProblem(cause: unknown, server: string, user: string): OpenPostgresError {
  const code = errorCode(cause);
  switch (code) {
    case '28P01':
    case '28000':
      return new OpenPostgresError(
        'wrong_password',
        `The Postgres server at ${server} refuses user "${user}" (${code}). ` +
          'Check user and password in the URL, and that pg_hba.conf allows this user from this address.',
        { cause },
      );
    case '3D000':
      return new OpenPostgresError(
        'no_such_database',
        `The Postgres server at ${server} answers, but that database does not exist. ` +
          'Create it (createdb), or name another database in the URL.',
        { cause },
      );
    case '25006':
      return new OpenPostgresError(
        'read_only',
        `The Postgres server at ${server} is read-only: it is a standby, or default_transaction_read_only is set. ` +
          'Name the primary, or all servers separated by commas.',
        { cause },
      );
    case '57P03':
    case '53300':
      return new OpenPostgresError(
        'not_ready',
        `The Postgres server at ${server} accepts no connection now: ` +
          (code === '57P03' ? 'it is starting up or shutting down.' : 'it has too many connections.') +
          ' Try again in a moment.',
        { cause },
      );
    default:
      return new OpenPostgresError(
        'unreachable',
        `No Postgres server can be reached at ${server} (${code}). ` +
          'Check host and port in the URL and that the server runs, or omit the URL to use the embedded server.',
        { cause },
      );
  }
}

function errorCode(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
}
