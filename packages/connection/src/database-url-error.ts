/** A Postgres URL that can't be used. The message never contains the URL, which may hold a password. */
export class DatabaseUrlError extends Error {
  override readonly name = 'DatabaseUrlError';
}
