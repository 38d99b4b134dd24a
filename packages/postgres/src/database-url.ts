import { OpenPostgresError } from './open-postgres-error.ts';

/** Reads a Postgres URL. The text itself stays out of the error: it may hold a password. */
export function parseDatabaseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && (url.protocol === 'postgres:' || url.protocol === 'postgresql:')) return url;
  throw new OpenPostgresError(
    'bad_url',
    'The Postgres URL cannot be read. It must look like postgres://user:password@host:5432/database; ' +
      'percent-encode special characters in the password.',
  );
}

/** The same server, another database. Its name must need no encoding: the driver does not decode it. */
export function withDatabase(text: string, database: string): string {
  const url = parseDatabaseUrl(text);
  url.pathname = `/${database}`;
  return url.href;
}

/** Host, port and database for people to read: without user, password and query. */
export function describeDatabase(url: URL): string {
  return `${url.host || 'localhost'}${url.pathname}`;
}
