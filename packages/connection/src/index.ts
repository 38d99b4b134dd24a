export type { Connection } from './connection.ts';
export { ConnectionPool, type ConnectionPoolOptions } from './connection-pool.ts';
export {
  type ConnectionPools,
  type ConnectionPoolsOptions,
  LONG_WORK_MS,
  openConnectionPools,
} from './connection-pools.ts';
export { type Connected, Database, type SessionOptions } from './database.ts';
export { withDatabase } from './database-url.ts';
export { DatabaseUrlError } from './database-url-error.ts';
export { WORK_CHANNEL, WorkNotifier } from './work-notifier.ts';
