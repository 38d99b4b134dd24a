export type { Connection } from './connection.ts';
export { type Connected, Database, type SessionOptions } from './database.ts';
export { withDatabase } from './database-url.ts';
export { DatabaseUrlError } from './database-url-error.ts';
