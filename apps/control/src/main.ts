#!/usr/bin/env node
import { hostname } from 'node:os';
import { createApp } from '@macbatch/api';
import { openPostgres } from '@macbatch/postgres';
import { aborted, createLog, probeBoot, readConfig, shutdownSignals } from '@macbatch/process';
import { createStore, migrate } from '@macbatch/store';
import { ControlConfig, controlNameOf, databaseOf, limitsOf } from './config.ts';
import { listen } from './listen.ts';

/** How long requests under way may take once the control plane is to stop. */
const CLOSE_MS = 5000;

const log = createLog('control');
const { asked, insisted } = shutdownSignals(process);

/** To who spawned this process with a channel; it may have gone in the meantime. */
function tellParent(message: object): void {
  if (process.connected) process.send?.(message);
}

try {
  const config = readConfig(ControlConfig, process.env);
  const name = config.MACBATCH_CONTROL_NAME ?? controlNameOf(hostname());
  const startedAt = new Date().toISOString();
  const { previous_boot_id, ...probe } = probeBoot({
    role: 'control',
    name,
    path: config.PROBE_STATE,
    startedAt,
  });
  process.stdout.write(`${JSON.stringify(probe)}\n`);
  const postgres = await openPostgres(databaseOf(config));
  try {
    await migrate(postgres.url);
    log('database.ready', { kind: postgres.kind });
    const store = createStore({
      url: postgres.url,
      renewedLeaseSeconds: config.MACBATCH_RENEWED_LEASE_SECONDS,
    });
    const { boot } = probe;
    const verdict = await store.addBoot({
      role: 'control',
      name,
      bootId: boot.boot_id,
      pid: boot.pid,
      hostname: boot.hostname,
      startedAt: boot.started_at,
      cwd: boot.cwd,
      tmpWritable: boot.tmp_writable,
      previousBootId: previous_boot_id,
    });
    log('boot.known', { boot_id: boot.boot_id, verdict });
    // Reconciliation: what leases ran out while nobody served is taken back before anybody is served.
    const { reclaimed, failed } = await store.reclaim({ force: true });
    log('leases.reconciled', { reclaimed, failed });
    const app = createApp({
      store,
      limits: limitsOf(config),
      stopping: asked,
      onError: (error, request) => log('request.failed', { ...request, error: error.stack ?? error.message }),
    });
    const server = await listen(app, config.MACBATCH_HOST, config.MACBATCH_PORT);
    log('control.listening', { url: server.url, pid: process.pid });
    tellParent({ event: 'control.listening', url: server.url });
    await aborted(asked);
    log('control.stopping', { reason: asked.reason instanceof Error ? asked.reason.message : 'asked' });
    await server.close(insisted.aborted ? 0 : CLOSE_MS);
    await store.close();
  } finally {
    await postgres.close();
  }
  log('control.stopped');
  process.exit(0);
} catch (error) {
  const reason = error instanceof Error ? error.message : String(error);
  log('control.failed', { error: reason });
  tellParent({ event: 'program.failed', error: reason });
  process.exit(1);
}
