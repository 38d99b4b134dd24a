#!/usr/bin/env node
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { Agent, type EndpointConfig, openRuntimes, sleep } from '@macbatch/agent';
import { Client } from '@macbatch/client';
import { createLog, readConfig, shutdownSignals } from '@macbatch/process';
import { WorkerConfig, workerIdOf } from './config.ts';

const log = createLog('worker');
const { asked, insisted } = shutdownSignals(process);

try {
  const config = readConfig(WorkerConfig, process.env);
  const clock = { now: () => Date.now() };
  const agent = new Agent({
    client: new Client({ baseUrl: config.MACBATCH_CONTROL_URL }),
    workerId: config.MACBATCH_WORKER_ID ?? workerIdOf(hostname()),
    bootId: randomUUID(),
    hostname: hostname(),
    runtimes: openRuntimes(
      {
        endpoints: config.MACBATCH_ENDPOINTS as readonly EndpointConfig[],
        useLite: config.MACBATCH_USE_LITE,
        noop: config.MACBATCH_NOOP,
      },
      clock,
    ),
    concurrency: config.MACBATCH_CONCURRENCY,
    leaseLimit: config.MACBATCH_LEASE_LIMIT,
    graceMs: config.MACBATCH_GRACE_SECONDS * 1000,
    heartbeatMs: config.MACBATCH_HEARTBEAT_SECONDS * 1000,
    log,
    now: clock.now,
    sleep,
    random: Math.random,
  });
  await agent.run(asked, insisted);
  process.exit(0);
} catch (error) {
  log('worker.failed', { error: error instanceof Error ? error.message : String(error) });
  process.exit(1);
}
