const OUTAGES = new Set([
  // postgres.js
  'CONNECTION_CLOSED',
  'CONNECTION_ENDED',
  'CONNECTION_DESTROYED',
  'CONNECT_TIMEOUT',
  // our connection pool: no answer in time
  'DATABASE_TIMEOUT',
  // sockets
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOTFOUND',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
  'EAI_AGAIN',
  // Postgres: too many connections, shutting down, crashed, starting up, read-only standby,
  // a statement that took too long, and a pooler that has no server
  '53300',
  '57P01',
  '57P02',
  '57P03',
  '25006',
  '57014',
  '08P01',
]);

/** Whether an error means that the database is unreachable now, so that a retry may succeed. */
export function isOutage(error: unknown): boolean {
  return error instanceof Error && OUTAGES.has(String(Reflect.get(error, 'code')));
}

/** Whether an error means that the database's disk is full. Nothing was stored. */
export function isDiskFull(error: unknown): boolean {
  return error instanceof Error && Reflect.get(error, 'code') === '53100';
}
