import { hostname } from 'node:os';
import { createApp, toBoot } from '@macbatch/api';
import { openPostgres } from '@macbatch/postgres';
import { aborted, awakeClock, isLoopback, type Log, probeBoot } from '@macbatch/process';
import type { ControlConfig } from '@macbatch/settings';
import { createStore, migrate, type Store } from '@macbatch/store';
import { controlNameOf, databaseOf, limitsOf, quotaOf, tlsOf } from './config.ts';
import { roomFor } from './disk-room.ts';
import { listen } from './listen.ts';

/** How long requests under way may take once the control plane is to stop. */
const CLOSE_MS = 5000;

export interface ServeSignals {
  /** The control plane is to stop. */
  readonly asked: AbortSignal;
  /** At once. */
  readonly forceQuit: AbortSignal;
}

export interface ServeOutputs {
  readonly log: Log;
  readonly tellParent: (message: object) => void;
}

/** Runs a control plane until it is asked to stop. */
export async function serve(
  config: ControlConfig,
  { asked, forceQuit }: ServeSignals,
  { log, tellParent }: ServeOutputs,
): Promise<void> {
  const tls = tlsOf(config);
  const host = config.MACBATCH_HOST;
  const name = config.MACBATCH_CONTROL_NAME ?? controlNameOf(hostname());
  const startedAt = new Date().toISOString();
  const probed = probeBoot({ role: 'control', name, path: config.PROBE_STATE, startedAt });
  const { previous_boot_id: previousBootId, ...probe } = probed;
  process.stdout.write(`${JSON.stringify(probe)}\n`);
  const postgres = await openPostgres(databaseOf(config));
  try {
    await migrate(postgres.url);
    log('database.ready', { kind: postgres.kind });
    const store = createStore({
      url: postgres.url,
      renewedLeaseSeconds: config.MACBATCH_RENEWED_LEASE_SECONDS,
      order: config.MACBATCH_ORDER,
      copies: config.MACBATCH_COPIES === 'on',
      monotonicMs: awakeClock().now,
      prepare: config.MACBATCH_PREPARE === undefined ? undefined : config.MACBATCH_PREPARE === '1',
      onNotificationsLost: () =>
        log('wake.deaf', {
          reason:
            'NOTIFY does not come through, as behind a pooler: requests that wait for work look every 5 s',
        }),
    });
    const trustProxy = config.MACBATCH_TRUST_PROXY === '1';
    // A proxy brings others to a loopback address, too.
    const open = isLoopback(host) && !trustProxy;
    if (!open) await refuseOpenNetwork(store, trustProxy ? 'the proxy' : host);
    if (open && !(await store.keys.hasValid()))
      log('control.open', { reason: `${host} is this machine alone and there is no key: nobody needs one` });
    const { boot } = probe;
    const verdict = await store.addBoot(
      toBoot({ role: 'control', name, boot, previous_boot_id: previousBootId }),
    );
    log('boot.known', { boot_id: boot.boot_id, verdict });
    // Reconciliation: what leases ran out while nobody served is taken back before anybody is served.
    const { reclaimed, failed } = await store.reclaim({ force: true });
    log('leases.reconciled', { reclaimed, failed });
    const app = createApp({
      store,
      open,
      trustProxy,
      limits: limitsOf(config),
      quota: quotaOf(config),
      hasRoom: roomFor(config),
      stopping: asked,
      onError: (error, request) => log('request.failed', { ...request, error: error.stack ?? error.message }),
    });
    const server = await listen(app, {
      host,
      port: config.MACBATCH_PORT,
      ...(tls === undefined ? {} : { tls }),
    });
    log('control.listening', { url: server.url, pid: process.pid });
    tellParent({ event: 'control.listening', url: server.url });
    const lost = postgres.ended.then((how) => {
      throw new Error(`The embedded Postgres ${how}`);
    });
    await Promise.race([aborted(asked), lost]);
    log('control.stopping', { reason: asked.reason instanceof Error ? asked.reason.message : 'asked' });
    await server.close(forceQuit.aborted ? 0 : CLOSE_MS);
    await store.close();
  } finally {
    await postgres.close();
  }
  log('control.stopped');
}

async function refuseOpenNetwork(store: Store, entrance: string): Promise<void> {
  if (await store.keys.hasValid()) return;
  await store.close();
  throw new Error(
    `Others can reach ${entrance}, and there is no key yet. Make one with: keys create --role admin --name NAME, or listen on 127.0.0.1 without a proxy.`,
  );
}
