export { createDatabase, type TestDatabase } from './create-database.ts';
export { openPair, type PostgresPair } from './open-pair.ts';
export { findPgBouncer, openPooler, type Pooler } from './open-pooler.ts';
export { openTestPostgres, type TestPostgresOptions } from './open-test-postgres.ts';
