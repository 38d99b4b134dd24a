import { mount, type Surface } from '../requests/mount.ts';
import { problemResponse } from '../requests/refused-request.ts';
import type { PoolMetrics } from './pool-metrics.ts';
import { Readiness } from './readiness.ts';

/** Paths for monitoring systems. */
export const OPERATION_PATHS = ['/healthz', '/readyz', '/metrics'];

/** Mounts health, metrics and the maintenance of the database. */
export function mountOperations(surface: Surface, metrics: PoolMetrics, monotonicMs: () => number): void {
  const { app, store, authenticator } = surface;
  const readiness = new Readiness(store, monotonicMs);

  app.get('/healthz', (c) => c.json({ ok: true }));

  app.get('/readyz', async (c) => {
    const refusal = await readiness.refusal();
    return refusal === null ? c.json({ ok: true }) : problemResponse(refusal);
  });

  app.get('/metrics', async (c) => {
    await authenticator.admitRole(c, 'metrics', 'admin');
    const { body, contentType } = await metrics.text(await store.pulse());
    return c.body(body, 200, { 'content-type': contentType });
  });

  mount(surface, 'prune', async ({ body: { older_than_seconds, row_limit, dry_run } }) => {
    const olderThanSeconds = older_than_seconds;
    const { jobs, rows, left } = dry_run
      ? { jobs: 0, rows: 0, left: await store.prunable(olderThanSeconds) }
      : await store.prune({ olderThanSeconds, rowLimit: row_limit });
    const { payloadBytes, ...counts } = left;
    return { jobs, rows, left: { ...counts, payload_bytes: payloadBytes } };
  });

  mount(surface, 'readDatabase', async () => {
    const view = await store.databaseSettings();
    return {
      server_version: view.serverVersion,
      synchronous_commit: view.synchronousCommit,
      fsync: view.fsync,
      full_page_writes: view.fullPageWrites,
      autovacuum: view.autovacuum,
      max_connections: view.maxConnections,
      reserved_connections: view.reservedConnections,
      used_connections: view.usedConnections,
      connections_each: view.connectionsEach,
      bytes: view.bytes,
      oldest_transaction: view.transactions.oldest,
      transaction_id_age: view.transactions.idAge,
    };
  });
}
