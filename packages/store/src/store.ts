import type { ConnectionPoolsOptions } from '@macbatch/connection';
import type { BootVerdict, JobOrder } from '@macbatch/core';
import type { KeyStore } from './access/key-store.ts';
import type { BatchStore } from './batches/batch-store.ts';
import type { ChangeReader } from './changes/change-reader.ts';
import type { SuspectItem } from './copies/exclude-from-copies.ts';
import type { SchemaState } from './database/schema-state.ts';
import type { FileContent } from './files/file-content.ts';
import type { FileStore } from './files/file-store.ts';
import type { ItemPage, ItemQuery } from './items/list-items.ts';
import type { ItemName, JobItem } from './items/read-item.ts';
import type { GroupedFailures } from './jobs/group-failures.ts';
import type { Job } from './jobs/job.ts';
import type { ItemSource, JobDraft, SubmitReply } from './jobs/job-draft.ts';
import type { JobProgress } from './jobs/job-progress.ts';
import type { JobPage, JobQuery } from './jobs/list-jobs.ts';
import type { JobDetail } from './jobs/read-job.ts';
import type { Result, ResultRange } from './jobs/results.ts';
import type { RetriedRow, RetryScope } from './jobs/retry-job.ts';
import type { LeaseName, LeaseRefusal, ReleasedLease } from './leasing/lease-answers.ts';
import type { LeaseCall } from './leasing/lease-call.ts';
import type { WorkerOnProbation } from './leasing/probation.ts';
import type { Renewal } from './leasing/renew-leases.ts';
import type { AuditRow } from './operations/audit-job.ts';
import type { EventPage, PoolEvent } from './operations/list-events.ts';
import type { Prunable, PruneCall, Pruned } from './operations/prune-jobs.ts';
import type { DatabaseSettings } from './operations/read-database-settings.ts';
import type { JobExplanation } from './pool/explain-job.ts';
import type { OwnedPool } from './pool/read-pool.ts';
import type { Pulse } from './pool/read-pulse.ts';
import type { Reclaimed } from './reclaiming/reclaimer.ts';
import type { Entry, Verdict } from './reporting/report-entry.ts';
import type { LeasedTask } from './tasks/leased-tasks.ts';
import type { ThroughputPoint, ThroughputQuery } from './throughput/read-throughput.ts';
import type { Standing } from './workers/goodbye.ts';
import type { Admission, Heartbeat } from './workers/heartbeat.ts';
import type { KnownBoot } from './workers/list-boots.ts';
import type { Worker } from './workers/list-workers.ts';
import type { OfferedModel } from './workers/offered-models.ts';
import type { PauseRequest, WorkerPause } from './workers/pause.ts';
import type { Boot } from './workers/record-boot.ts';

export interface StoreOptions extends ConnectionPoolsOptions {
  /**
   * How long a lease lasts, in seconds. Never longer than `LEASE_SECONDS`.
   *
   * @default LEASE_SECONDS
   */
  readonly leaseSeconds?: number;
  /**
   * How long a lease of a worker that renews lasts, in seconds. Never longer than `leaseSeconds`.
   *
   * @default RENEWED_LEASE_SECONDS
   */
  readonly renewedLeaseSeconds?: number;
  /** Called once when notifications do not arrive, for example behind a pooler. Waiting callers then only poll. */
  readonly onNotificationsLost?: () => void;
  /**
   * Which job is served first.
   *
   * @default 'shortest'
   */
  readonly order?: JobOrder;
  /**
   * Workers with nothing to do get copies of what others hold.
   *
   * @default true
   */
  readonly copies?: boolean;
  /** A clock in milliseconds that never goes back and stops while this host sleeps. */
  readonly monotonicMs?: () => number;
  /** Where the bytes of new files go. By default into the database. */
  readonly fileContent?: FileContent;
}

interface StoreLeaseCall extends Omit<LeaseCall, 'leaseMs'> {
  /** The worker renews its leases, so they can be shorter. */
  readonly renews: boolean;
  /**
   * All leases that this boot knows of. Other leases that it was granted are answered again before anything
   * new is granted: it lost the answer that granted them.
   */
  readonly knownLeases?: readonly LeaseName[];
}

/** What a lease call is answered. */
interface StoreLeases {
  readonly leaseSeconds: number;
  readonly tasks: LeasedTask[];
  /** Why there are no tasks, as far as the worker is the reason. Null: not looked up. */
  readonly standing: Standing | null;
}

/** Everything that the control plane stores, over one Postgres database. */
export interface Store {
  /** Stores a job with all its items, or nothing: see `submitJob`. */
  submit(draft: Omit<JobDraft, 'id'>, items: ItemSource, bodyDigest: () => string): Promise<SubmitReply>;
  /** Returns null when there is no such job. */
  readJob(id: string): Promise<JobDetail | null>;
  /** Computes what a job waits for and when it should end. */
  explainJob(job: Job): Promise<JobExplanation>;
  /** Reads the workers, what they hold, and the jobs that have unfinished tasks. */
  pool(): Promise<OwnedPool>;
  listJobs(query: JobQuery): Promise<JobPage>;
  /** Computes what is known of the progress of these jobs, by their ids. Only open jobs have an entry. */
  jobProgress(jobs: readonly Job[]): Promise<ReadonlyMap<string, JobProgress>>;
  /** Changes nothing when the job has ended or is cancelled. */
  cancelJob(id: string): Promise<void>;
  /** Sends failed tasks and, with `items`, recorded item errors back to pending. */
  retryJob(id: string, scope: RetryScope): Promise<RetriedRow>;
  /** Groups the first 10,000 failures of a job. */
  groupFailures(job: Job): Promise<GroupedFailures>;
  /** Newest first. */
  listEvents(page: EventPage): Promise<PoolEvent[]>;
  /** Counts what primary keys make impossible: see `auditJob`. */
  auditJob(id: string): Promise<AuditRow>;
  /** Pages of results in the order of submission. */
  results(jobId: string, range: ResultRange): AsyncIterable<readonly Result[]>;
  resultOf(jobId: string, itemId: string): Promise<Result | null>;
  /** A page of a job's items, in the order of submission. */
  listItems(job: Job, query: ItemQuery): Promise<ItemPage>;
  /** Returns null when the job has no such item. */
  readItem(jobId: string, name: ItemName): Promise<JobItem | null>;
  /** Counts the idempotency keys, in hex, for which the ledger of an owner has an output. */
  countKnownKeys(owner: string, keys: readonly string[]): Promise<number>;
  lease(call: StoreLeaseCall): Promise<StoreLeases>;
  /** Workers whose lease budget this process has reduced, because of their errors. */
  workersOnProbation(): WorkerOnProbation[];
  /** Returns one verdict for each entry, in order. */
  report(worker: string, entries: readonly Entry[]): Promise<Verdict[]>;
  release(worker: string, leases: readonly ReleasedLease[]): Promise<LeaseRefusal[]>;
  /** Extends leases of a worker that renews, and resumes those of this boot that have lapsed. */
  renew(worker: string, boot: string, leases: readonly LeaseName[]): Promise<Renewal[]>;
  /** Keeps items that their holder runs as suspects from being copied for an hour. */
  excludeFromCopies(worker: string, suspects: readonly SuspectItem[]): Promise<void>;
  heartbeat(heartbeat: Heartbeat): Promise<Admission>;
  /** Releases what these boots of a worker hold, except the leases in `kept`. No attempt is charged. */
  releaseBoots(worker: string, boots: readonly string[], kept?: readonly LeaseName[]): Promise<void>;
  /**
   * Takes back what boots of a worker hold that have died. It counts like a lost lease: the attempt is charged, and a
   * `lease_expired` event is recorded.
   */
  expireBoots(worker: string, boots: readonly string[]): Promise<void>;
  readonly keys: KeyStore;
  readonly files: FileStore;
  readonly batches: BatchStore;
  /** Stores a boot and returns what was known of its name before. */
  addBoot(boot: Boot): Promise<BootVerdict>;
  /** Newest first. */
  listBoots(page: { readonly name: string | null; readonly limit: number }): Promise<KnownBoot[]>;
  /** The id of the deployment that this database is. It never changes. */
  deploymentId(): Promise<string>;
  listWorkers(): Promise<Worker[]>;
  /** Keeps a worker from leasing. Changes nothing if the end of the pause has passed. */
  pauseWorker(worker: string, request: PauseRequest): Promise<WorkerPause | 'not_found' | 'in_the_past'>;
  /** Returns false when there is no such worker. */
  resumeWorker(worker: string, by: string | null): Promise<boolean>;
  /** The models that alive workers offer, by name. With `name`, only that one. */
  offeredModels(name?: string): Promise<OfferedModel[]>;
  /** Takes back expired leases. Without `force`, does nothing while no lease can have expired. */
  reclaim(options: { readonly force: boolean }): Promise<Reclaimed>;
  /** Counts of finished items, by step and series. Kept for seven days. */
  throughput(query: ThroughputQuery): Promise<readonly ThroughputPoint[]>;
  /** Finds changes of jobs, workers and events. Each reader compares with its own last reading. */
  changeReader(): ChangeReader;
  /** Counts what `prune` would delete. */
  prunable(olderThanSeconds: number): Promise<Prunable>;
  /** Deletes a bounded part of the jobs that ended long ago. */
  prune(call: PruneCall): Promise<Pruned>;
  /** The database's clock. */
  now(): Promise<Date>;
  /** Compares the database's migrations with this program's. */
  schemaState(): Promise<SchemaState>;
  pulse(): Promise<Pulse>;
  databaseSettings(): Promise<DatabaseSettings>;
  /** Milliseconds until a lease can expire at the earliest. */
  untilNextExpiryMs(): number;
  /** Calls `onWork` whenever tasks may have become pending. Calls can be missed. Returns how to stop. */
  subscribe(onWork: () => void): () => void;
  close(): Promise<void>;
}
