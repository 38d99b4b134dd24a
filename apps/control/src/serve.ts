import { hostname } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import { type AppOptions, createApp, createBatchRunner, toBoot } from '@macbatch/api';
import { openPostgres } from '@macbatch/postgres';
import { aborted, awakeClock, isLoopback, type Log, probeBoot } from '@macbatch/process';
import { type ControlConfig, nameOfHost } from '@macbatch/settings';
import { createStore, migrate, type Store } from '@macbatch/store';
import { batchLimitsOf, databaseOf, fileContentOf, limitsOf, quotaOf, tlsOf } from './config.ts';
import { diskSpaceCheck } from './disk-space.ts';
import { listen } from './listen.ts';
import { withPages } from './with-pages.ts';

/** Time limit for open requests, and then for background work, when the control plane stops. */
const CLOSE_TIMEOUT_MS = 5000;

export interface ServeSignals {
  /** Aborts when the control plane should stop. */
  readonly shutdownRequested: AbortSignal;
  /** Aborts when the control plane should stop immediately. */
  readonly forceQuit: AbortSignal;
}

export interface ServeOutputs {
  readonly log: Log;
  readonly tellParent: (message: object) => void;
}

/** Runs a control plane until `shutdownRequested` aborts. */
export async function serve(
  config: ControlConfig,
  { shutdownRequested, forceQuit }: ServeSignals,
  { log, tellParent }: ServeOutputs,
): Promise<void> {
  const tls = tlsOf(config);
  const host = config.MACBATCH_HOST;
  const name = config.MACBATCH_CONTROL_NAME ?? nameOfHost(hostname(), 'control');
  const startedAt = new Date().toISOString();
  const probed = probeBoot({ role: 'control', name, path: config.PROBE_STATE, startedAt });
  const { previous_boot_id: previousBootId, ...probe } = probed;
  process.stdout.write(`${JSON.stringify(probe)}\n`);
  const postgres = await openPostgres(databaseOf(config));
  try {
    await migrate(postgres.url);
    log('database.ready', { kind: postgres.kind });
    const fileContent = await fileContentOf(config, ({ message }) =>
      log('files.unreachable', { reason: message }),
    );
    const store = createStore({
      ...(fileContent === undefined ? {} : { fileContent }),
      url: postgres.url,
      renewedLeaseSeconds: config.MACBATCH_RENEWED_LEASE_SECONDS,
      order: config.MACBATCH_ORDER,
      copies: config.MACBATCH_COPIES === 'on',
      monotonicMs: awakeClock().now,
      prepare: config.MACBATCH_PREPARE === undefined ? undefined : config.MACBATCH_PREPARE === '1',
      onNotificationsLost: () =>
        log('wake.deaf', {
          reason:
            'NOTIFY does not arrive, as behind a connection pooler: requests that wait for work poll every 5 s',
        }),
    });
    const trustProxy = config.MACBATCH_TRUST_PROXY === '1';
    // Through a proxy, other machines can reach a loopback address too.
    const open = isLoopback(host) && !trustProxy;
    if (!open) await requireKey(store, trustProxy ? 'the proxy' : host);
    if (open && !(await store.keys.hasValid()))
      log('control.open', {
        reason: `${host} is reachable from this machine only, and there is no key: requests need none`,
      });
    const { boot } = probe;
    const verdict = await store.addBoot(
      toBoot({ role: 'control', name, boot, previous_boot_id: previousBootId }),
    );
    log('boot.known', { boot_id: boot.boot_id, verdict });
    // R4: reclaims leases that expired while no control plane was running.
    const { reclaimed, failed } = await store.reclaim({ force: true });
    log('leases.reconciled', { reclaimed, failed });
    const batchLimits = batchLimitsOf(config);
    const batches = createBatchRunner({
      store,
      limits: batchLimits,
      onError: (error, batch) => log('batch.failed', { batch, error: error.stack ?? error.message }),
    });
    const onError: NonNullable<AppOptions['onError']> = (error, request) =>
      log('request.failed', { ...request, error: error.stack ?? error.message });
    const app = createApp({
      store,
      onBatchWork: batches.wake,
      open,
      trustProxy,
      limits: limitsOf(config),
      quota: quotaOf(config),
      reuseInBatches: batchLimits.reuse,
      hasRoom: diskSpaceCheck(config),
      stopping: shutdownRequested,
      onError,
    });
    const server = await listen(
      { fetch: withPages(app.fetch, { onError }) },
      {
        host,
        port: config.MACBATCH_PORT,
        ...(tls === undefined ? {} : { tls }),
      },
    );
    log('control.listening', { url: server.url, pid: process.pid });
    tellParent({ event: 'control.listening', url: server.url });
    const batchWork = batches.run(shutdownRequested);
    const lost = postgres.ended.then((how) => {
      throw new Error(`The embedded Postgres ${how}`);
    });
    await Promise.race([aborted(shutdownRequested), lost]);
    log('control.stopping', {
      reason: shutdownRequested.reason instanceof Error ? shutdownRequested.reason.message : 'requested',
    });
    await server.close(forceQuit.aborted ? 0 : CLOSE_TIMEOUT_MS);
    // What has not ended by then is given up, and repeated by the next control plane.
    await Promise.race([batchWork, setTimeout(CLOSE_TIMEOUT_MS, undefined, { ref: false })]);
    await store.close();
  } finally {
    await postgres.close();
  }
  log('control.stopped');
}

/** Throws if there is no key: other machines could use the control plane without one. */
async function requireKey(store: Store, address: string): Promise<void> {
  if (await store.keys.hasValid()) return;
  await store.close();
  throw new Error(
    `Other machines can reach ${address}, and there is no key yet. Create one with: keys create --role admin --name NAME, or listen on 127.0.0.1 without a proxy.`,
  );
}
