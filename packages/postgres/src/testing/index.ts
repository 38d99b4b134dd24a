export { createDatabase, type TestDatabase } from './create-database.ts';
export { openTestPostgres, type TestPostgresOptions } from './open-test-postgres.ts';
