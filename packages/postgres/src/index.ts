export { type BackupPlace, backUpEmbedded, restoreEmbedded } from './embedded/backup.ts';
export { type OpenPostgresOptions, openPostgres } from './open-postgres.ts';
export { OpenPostgresError, type OpenPostgresProblem } from './open-postgres-error.ts';
export type { PostgresServer } from './postgres-server.ts';
