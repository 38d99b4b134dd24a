import { openConnectionPools, WorkNotifier } from '@macbatch/connection';
import { LEASE_SECONDS, RENEWED_LEASE_SECONDS } from '@macbatch/core';
import { uuidv7 } from 'uuidv7';
import { createKeyStore } from './access/key-store.ts';
import { createBatchStore } from './batches/batch-store.ts';
import { ChangeReader } from './changes/change-reader.ts';
import { excludeFromCopies } from './copies/exclude-from-copies.ts';
import { readDatabaseClock } from './database/read-database-clock.ts';
import { readDeploymentId } from './database/read-deployment-id.ts';
import { readSchemaState } from './database/schema-state.ts';
import { createFileStore } from './files/file-store.ts';
import { listItems } from './items/list-items.ts';
import { readItem } from './items/read-item.ts';
import { cancelJob } from './jobs/cancel-job.ts';
import { closeJobs } from './jobs/close-jobs.ts';
import { countKnownKeys } from './jobs/count-known-keys.ts';
import { groupFailures } from './jobs/group-failures.ts';
import { jobProgress } from './jobs/job-progress.ts';
import { listJobs } from './jobs/list-jobs.ts';
import { readJob } from './jobs/read-job.ts';
import { resultOf, resultPages } from './jobs/results.ts';
import { retryJob } from './jobs/retry-job.ts';
import { submitJob } from './jobs/submit-job.ts';
import { endLeasesOfBoots } from './leasing/end-leases-of-boots.ts';
import { type LeaseName, type LeaseRefusal, leaseKey, type ReleasedLease } from './leasing/lease-answers.ts';
import { leaseTasks } from './leasing/lease-tasks.ts';
import { copiesOfBoots, leasesOfBoots } from './leasing/leases-of-boots.ts';
import { releaseLeases } from './leasing/release-leases.ts';
import { renewLeases } from './leasing/renew-leases.ts';
import { createScheduler, forgetClaimed } from './leasing/scheduler.ts';
import { unacknowledgedLeases } from './leasing/unacknowledged-leases.ts';
import { auditJob } from './operations/audit-job.ts';
import { listEvents } from './operations/list-events.ts';
import { prunableJobs, pruneJobs } from './operations/prune-jobs.ts';
import { readDatabaseSettings } from './operations/read-database-settings.ts';
import { explainJob } from './pool/explain-job.ts';
import { readPool } from './pool/read-pool.ts';
import { readPulse } from './pool/read-pulse.ts';
import { type Reclaimed, Reclaimer } from './reclaiming/reclaimer.ts';
import { ModelIds } from './reporting/model-ids.ts';
import { recordOutcomes } from './reporting/record-outcomes.ts';
import type { Store, StoreOptions } from './store.ts';
import { deleteOldMinutes, readThroughput } from './throughput/read-throughput.ts';
import { standingOf } from './workers/goodbye.ts';
import { recordHeartbeat } from './workers/heartbeat.ts';
import { listBoots } from './workers/list-boots.ts';
import { listWorkers } from './workers/list-workers.ts';
import { offeredModels } from './workers/offered-models.ts';
import { pauseWorker, resumeWorker } from './workers/pause.ts';
import { recordBoot } from './workers/record-boot.ts';

/** The most times that leases of dead boots are ended: a renewal that was under way may extend one meanwhile. */
const MAX_EXPIRY_ROUNDS = 10;

/** How often a process deletes the counts of minutes that are too old. A heartbeat does it: every pool has them. */
const DELETE_MINUTES_EVERY_MS = 10 * 60_000;

/** Opens a store. The schema must be up to date: see `migrate`. */
export function createStore(options: StoreOptions): Store {
  const leaseSeconds = Math.min(options.leaseSeconds ?? LEASE_SECONDS, LEASE_SECONDS);
  const renewedLeaseSeconds = Math.min(options.renewedLeaseSeconds ?? RENEWED_LEASE_SECONDS, leaseSeconds);
  const renewedLeaseMs = renewedLeaseSeconds * 1000;
  const monotonicMs = options.monotonicMs ?? (() => performance.now());
  const settings = { order: options.order ?? 'shortest', givesCopies: options.copies !== false };

  const connections = openConnectionPools(options);
  const { database, durable } = connections;
  const { onNotificationsLost } = options;
  const notifier = new WorkNotifier({ database, pool: durable, onNotificationsLost, monotonicMs });
  const scheduler = createScheduler(connections, { monotonicMs, ...settings });
  const reclaimer = new Reclaimer(connections, monotonicMs, renewedLeaseMs);
  const modelIds = new ModelIds(durable);
  let deploymentId: string | undefined;
  let nextDeletionMs = Number.NEGATIVE_INFINITY;

  /** Tasks went back to pending: this process and all others look for them. */
  async function announceSentBack(): Promise<void> {
    forgetClaimed(scheduler);
    await notifier.notifyAll();
  }

  async function release(worker: string, leases: readonly ReleasedLease[]): Promise<LeaseRefusal[]> {
    const answers = await releaseLeases(connections, worker, leases);
    if (answers.includes(null)) await announceSentBack();
    return answers;
  }

  async function releaseBoots(
    worker: string,
    boots: readonly string[],
    kept: readonly LeaseName[] = [],
  ): Promise<void> {
    const keys = new Set(kept.map(leaseKey));
    const held = await leasesOfBoots(connections, worker, boots);
    await release(
      worker,
      held.filter((lease) => !keys.has(leaseKey(lease))),
    );
  }

  async function reclaim({ force }: { readonly force: boolean }): Promise<Reclaimed> {
    const reclaimed = force ? await reclaimer.reclaim() : await reclaimer.reclaimIfDue();
    if (reclaimed.failed > 0) await closeJobs(connections, reclaimed.jobIds);
    if (reclaimed.reclaimed > 0) await announceSentBack();
    return reclaimed;
  }

  return {
    async submit(draft, items, bodyDigest) {
      const reply = await submitJob(connections.uploads, { ...draft, id: uuidv7() }, items, bodyDigest);
      scheduler.queue.invalidate();
      return reply;
    },
    readJob: (id) => readJob(connections, id),
    explainJob: (job) => explainJob(connections, settings, job),
    pool: () => readPool(connections, settings),
    listJobs: (query) => listJobs(connections, query),
    jobProgress: (jobs) => jobProgress(connections, settings, jobs),
    cancelJob: (id) => cancelJob(connections, id),
    async retryJob(id, how) {
      const retried = await retryJob(connections, id, how);
      if (retried.tasks > 0) await announceSentBack();
      return retried;
    },
    groupFailures: ({ id, items }) => groupFailures(connections, id, items.error + items.failed),
    listEvents: (page) => listEvents(connections, page),
    auditJob: (id) => auditJob(connections, id),
    results: (jobId, range) => resultPages(connections, jobId, range),
    countKnownKeys: async (owner, keys) =>
      (await countKnownKeys.one(connections.durable, { owner, keys })).count,
    resultOf: (jobId, itemId) => resultOf(connections, jobId, itemId),
    listItems: (job, query) => listItems(connections, job, query),
    readItem: (jobId, name) => readItem(connections, jobId, name),
    async lease({ renews, knownLeases, ...storeCall }) {
      const seconds = renews ? renewedLeaseSeconds : leaseSeconds;
      const call = { ...storeCall, leaseMs: seconds * 1000 };
      const lost =
        knownLeases === undefined ? [] : await unacknowledgedLeases(connections, knownLeases, call);
      const tasks = lost.length > 0 ? lost : await leaseTasks(scheduler, call);
      const isIdle = tasks.length === 0 && call.repeated !== true;
      return {
        leaseSeconds: seconds,
        tasks,
        standing: isIdle ? await standingOf(connections, call.worker, call.boot) : null,
      };
    },
    workersOnProbation: () => scheduler.probation.workers(),
    async report(worker, entries) {
      const { verdicts, effects } = await recordOutcomes(connections, modelIds, worker, entries);
      await closeJobs(connections, effects.jobsToClose);
      if (effects.sentBack) await announceSentBack();
      else if (scheduler.holdings.takeRefused(worker)) notifier.notifyHere();
      return verdicts;
    },
    release,
    renew: (worker, boot, leases) =>
      renewLeases(connections, { worker, boot, leaseMs: renewedLeaseMs }, leases),
    excludeFromCopies: (worker, suspects) => excludeFromCopies(connections, worker, suspects),
    async heartbeat(heartbeat) {
      if (monotonicMs() >= nextDeletionMs) {
        nextDeletionMs = monotonicMs() + DELETE_MINUTES_EVERY_MS;
        await deleteOldMinutes(connections);
      }
      return recordHeartbeat(connections, heartbeat);
    },
    releaseBoots,
    async expireBoots(worker, boots) {
      for (let round = 0; round < MAX_EXPIRY_ROUNDS; round += 1) {
        if ((await endLeasesOfBoots(connections, worker, boots)) === 0) break;
        await reclaim({ force: true });
      }
      await release(worker, await copiesOfBoots(connections, worker, boots));
    },
    keys: createKeyStore(connections),
    files: createFileStore(connections, options.fileContent),
    batches: createBatchStore(connections, () => scheduler.queue.invalidate()),
    addBoot: (boot) => recordBoot(connections, boot),
    listBoots: (page) => listBoots(connections, page),
    async deploymentId() {
      deploymentId ??= await readDeploymentId(connections);
      return deploymentId;
    },
    listWorkers: () => listWorkers(connections),
    async pauseWorker(worker, request) {
      const pause = await pauseWorker(connections, worker, request);
      // Waiting lease calls look again, and then know why they get nothing.
      if (typeof pause !== 'string') await announceSentBack();
      return pause;
    },
    async resumeWorker(worker, by) {
      const found = await resumeWorker(connections, worker, by);
      if (found) await announceSentBack();
      return found;
    },
    offeredModels: (name) => offeredModels(connections, name ?? null),
    reclaim,
    throughput: (query) => readThroughput(connections, query),
    changeReader: () => new ChangeReader(connections),
    prunable: (olderThanSeconds) => prunableJobs(connections, olderThanSeconds),
    prune: (call) => pruneJobs(connections, call),
    now: () => readDatabaseClock(connections),
    schemaState: () => durable.run((sql) => readSchemaState(sql)),
    pulse: () => readPulse(connections),
    databaseSettings: () => readDatabaseSettings(connections),
    untilNextExpiryMs: () => reclaimer.untilNextExpiryMs,
    subscribe: (onWork) =>
      notifier.subscribe(() => {
        scheduler.queue.invalidate();
        onWork();
      }),
    async close() {
      notifier.close();
      await connections.close();
    },
  };
}
