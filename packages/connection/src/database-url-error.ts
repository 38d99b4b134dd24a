/** A Postgres URL that can't be used. Its text stays out of the message: it may hold a password. */
export class DatabaseUrlError extends Error {
  override readonly name = 'DatabaseUrlError';
}
