#!/usr/bin/env node
import { homedir, hostname } from 'node:os';
import { join } from 'node:path';
import {
  Agent,
  openRuntimes,
  purgeOutbox,
  readModelsStatus,
  removeWorkerFolder,
  sleep,
  steadyClock,
  workerFolder,
} from '@macbatch/agent';
import { messageOf } from '@macbatch/core';
import {
  createLog,
  openRollingFile,
  probeBoot,
  readConfigFile,
  shutdownSignals,
  standardOutput,
} from '@macbatch/process';
import { RulesConfig, readConfig, WorkerConfig, withFileSettings } from '@macbatch/settings';
import { announceBoot } from './announce-boot.ts';
import { joinControl, openControl } from './control.ts';
import { ControlConnections } from './control-connections.ts';
import { describeWorker } from './describe-worker.ts';
import { discoveryOf, endpointsOf } from './endpoints.ts';
import { followGuestRules } from './guest-rules.ts';
import { listModels } from './list-models.ts';
import { modelsText } from './models-text.ts';
import { checkKey, needsPerson } from './needs-person.ts';
import { joiningName, workerName } from './worker-name.ts';

/** launchd and systemd kill a service 30 s after the signal. The last report and the goodbye take up to 6 s. */
const SERVICE_GRACE_SECONDS = 20;

const [action, logPath] = process.argv.slice(2);
// launchd or systemd started this program: nobody reads its standard output.
const isService = action === 'service';
const write = isService && logPath !== undefined ? openRollingFile(logPath) : standardOutput();
const log = createLog('worker', write);
const { shutdownRequested, forceQuit } = shutdownSignals(process);
let runs = false;

try {
  const file = readConfigFile(process.env);
  const config = readConfig(WorkerConfig, withFileSettings(process.env, 'worker', file));
  const rules = readConfig(RulesConfig, withFileSettings(process.env, 'rules', file));
  const stateDir = config.MACBATCH_STATE_DIR ?? join(homedir(), '.macbatch', 'workers');
  const joining = action === 'join';
  const workerId = joining ? joiningName(config) : await workerName(config, stateDir);
  if (action === 'purge') {
    await purgeOutbox(stateDir, workerId);
    log('outbox.purged', { worker_id: workerId });
    process.exit(0);
  }

  if (action === 'describe') {
    const description = await describeWorker(config, stateDir, workerId, process.argv.includes('--ask'));
    process.stdout.write(`${JSON.stringify(description)}\n`);
    process.exit(0);
  }
  if (action === 'forget') {
    await removeWorkerFolder(stateDir, workerId);
    log('worker.forgotten', { worker_id: workerId });
    process.exit(0);
  }

  if (joining) {
    const path = await joinControl(config, stateDir, workerId);
    log('worker.joined', { worker_id: workerId, path });
    process.exit(0);
  }
  if (action === 'models') {
    const listing = await listModels(config, await readModelsStatus(stateDir, workerId));
    const isJson = process.argv[3] === '--json';
    process.stdout.write(isJson ? `${JSON.stringify(listing, null, 2)}\n` : modelsText(listing));
    process.exit(0);
  }
  const connections = new ControlConnections();
  const client = await openControl(config, stateDir, workerId, connections);
  if (isService) await checkKey(client);

  const startedAt = new Date().toISOString();
  const probe = probeBoot({ role: 'worker', name: workerId, path: config.PROBE_STATE, startedAt });
  const { previous_boot_id: _, ...shown } = probe;
  write(`${JSON.stringify(shown)}\n`);

  const folder = await workerFolder(stateDir, workerId, probe.boot.boot_id);
  if (folder.dropped > 0) log('outbox.dropped', { lines: folder.dropped });
  void announceBoot(client, workerId, probe, log, sleep, shutdownRequested);
  const clock = { now: steadyClock({ wallMs: () => Date.now(), monotonicMs: () => performance.now() }) };
  const agent = new Agent({
    client,
    workerId,
    bootId: probe.boot.boot_id,
    hostname: hostname(),
    boots: folder.boots,
    runtimes: openRuntimes(
      {
        endpoints: endpointsOf(config),
        discovery: discoveryOf(config),
        useLite: config.MACBATCH_USE_LITE,
        noop: config.MACBATCH_NOOP,
      },
      clock,
    ),
    outbox: folder.outbox,
    running: folder.running,
    concurrency: config.MACBATCH_CONCURRENCY,
    gentle: config.MACBATCH_GENTLE,
    leaseLimit: config.MACBATCH_LEASE_LIMIT ?? null,
    graceMs: Math.min(config.MACBATCH_GRACE_SECONDS, isService ? SERVICE_GRACE_SECONDS : Infinity) * 1000,
    heartbeatMs: config.MACBATCH_HEARTBEAT_SECONDS * 1000,
    onModels: (status) => void folder.saveModels(status).catch(() => undefined),
    log,
    now: clock.now,
    sleep,
    random: Math.random,
  });
  const ended = new AbortController();
  const guest = followGuestRules(
    {
      config: rules,
      agent,
      folder: folder.path,
      now: clock.now,
      onWake(sleptMs) {
        log('worker.woke', { slept_seconds: Math.round(sleptMs / 1000) });
        connections.dropAfterSleep();
        agent.sendHeartbeat();
      },
    },
    ended.signal,
  );
  runs = true;
  await agent.run(shutdownRequested, forceQuit);
  ended.abort();
  await guest;
  await folder.close();
  process.exit(0);
} catch (error) {
  const final = isService && !runs && needsPerson(error);
  log('worker.failed', { error: messageOf(error), ...(isService ? { restarts: !final } : {}) });
  // After exit code 0, launchd and systemd do not start the program again.
  process.exit(final ? 0 : 1);
}
