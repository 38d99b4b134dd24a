export type { Connection } from './connection.ts';
export { type Connected, Database, type SessionOptions } from './database.ts';
export { DatabaseUrlError, withDatabase } from './database-url.ts';
