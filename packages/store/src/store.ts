import { type ConnectionPoolsOptions, openConnectionPools, WorkNotifier } from '@macbatch/connection';
import { type BootVerdict, type JobOrder, LEASE_SECONDS } from '@macbatch/core';
import { uuidv7 } from 'uuidv7';
import { Keys } from './access/keys.ts';
import { Copies, type SuspectItem } from './copies/copies.ts';
import { type SchemaState, schemaState } from './database/migrate.ts';
import { type Job, type JobDetail, type JobPage, Jobs } from './jobs/job.ts';
import { type Result, Results } from './jobs/results.ts';
import { type ItemSource, type JobDraft, type SubmitReply, submit } from './jobs/submission.ts';
import { HeldLeases, type LeaseName, type LeaseRefusal, type Renewal } from './leasing/held-leases.ts';
import { type LeaseCall, type LeasedTask, Leaser } from './leasing/lease.ts';
import { UnheardLeases } from './leasing/unacknowledged-leases.ts';
import type { Doubt } from './leasing/worker-conduct.ts';
import type { AuditRow } from './operations/audit-job.ts';
import { type DatabaseView, Observer, type Pulse } from './operations/observer.ts';
import { type Prunable, type PruneCall, type Pruned, Pruner } from './operations/prune.ts';
import { type JobExplanation, type OwnedPool, PoolView } from './pool/pool-view.ts';
import { type Reclaimed, Reclaimer } from './reclaiming/reclaim.ts';
import { ModelIds } from './reporting/model-ids.ts';
import { type Entry, Reporter, type Verdict } from './reporting/report.ts';
import { type Boot, Boots, type KnownBoot } from './workers/boots.ts';
import { type Admission, type Heartbeat, type Worker, Workers } from './workers/workers.ts';

export interface StoreOptions extends ConnectionPoolsOptions {
  /** How long a lease holds; `LEASE_SECONDS` by default and at most. */
  readonly leaseSeconds?: number;
  /** How long a lease of a worker that renews holds; 90 by default, never above `leaseSeconds`. */
  readonly renewedLeaseSeconds?: number;
  /** Told once that notifications do not come through (a pooler?), so that waiting callers only poll. */
  readonly onDeaf?: () => void;
  /** Which job is served first; `shortest` by default. */
  readonly order?: JobOrder;
  /** Whether workers with nothing to do are given copies of what others hold; they are by default. */
  readonly copies?: boolean;
  /** A clock in milliseconds that never goes back, and stands still while this host sleeps. */
  readonly monotonicMs?: () => number;
}

/** Everything the control plane keeps, over one Postgres database. */
export interface Store {
  /** Stores a whole job or nothing; see `submit`. */
  submit(draft: Omit<JobDraft, 'id'>, items: ItemSource, bodyDigest: () => string): Promise<SubmitReply>;
  readJob(id: string): Promise<JobDetail | null>;
  /** What a job waits for and when it should end. */
  explainJob(job: Job): Promise<JobExplanation>;
  /** The workers, what they hold, and the jobs that have tasks left. */
  pool(): Promise<OwnedPool>;
  listJobs(page: JobPage): Promise<Job[]>;
  cancelJob(id: string): Promise<void>;
  retryJob(
    id: string,
    options: { readonly items: boolean },
  ): Promise<{ readonly tasks: number; readonly items: number }>;
  /** Items and keys with more than one row, which the primary keys make impossible; see `auditJob`. */
  auditJob(id: string): Promise<AuditRow>;
  results(jobId: string, itemCount: number): AsyncIterable<readonly Result[]>;
  resultOf(jobId: string, itemId: string): Promise<Result | null>;
  /**
   * Grants leases; `renews` says that the worker will renew them, so shorter ones will do. `holds`, all leases that
   * this boot knows of: what it was granted beside them, and has not heard of, is answered before anything new.
   */
  lease(
    call: Omit<LeaseCall, 'leaseMs'> & { readonly renews: boolean; readonly holds?: readonly LeaseName[] },
  ): Promise<{ readonly leaseSeconds: number; readonly tasks: LeasedTask[] }>;
  /** Workers that this process gives less of a job, because of their errors. */
  doubts(): Doubt[];
  report(worker: string, entries: readonly Entry[]): Promise<Verdict[]>;
  release(worker: string, leases: readonly LeaseName[]): Promise<LeaseRefusal[]>;
  /** Extends leases of a worker that renews. */
  renew(worker: string, leases: readonly LeaseName[]): Promise<Renewal[]>;
  /** A holder's word that it runs these items alone, as suspects of a crash: it has them for itself for an hour. */
  spare(worker: string, suspects: readonly SuspectItem[]): Promise<void>;
  heartbeat(said: Heartbeat): Promise<Admission>;
  /** Hands back what these boots of a worker hold: they are over, and no attempt is charged. */
  releaseBoots(worker: string, boots: readonly string[]): Promise<void>;
  /** Who may use the control plane. */
  readonly keys: Keys;
  /** Keeps a boot of a program; answers what was known of it. */
  addBoot(boot: Boot): Promise<BootVerdict>;
  listBoots(page: { readonly name: string | null; readonly limit: number }): Promise<KnownBoot[]>;
  /** Which deployment this database is; never changes. */
  deploymentId(): Promise<string>;
  listWorkers(): Promise<Worker[]>;
  /** Takes back expired leases; `force` also where it is known that there can be none. */
  reclaim(options: { readonly force: boolean }): Promise<Reclaimed>;
  /** What can be deleted of jobs that ended longer ago than this. */
  prunable(olderThanSeconds: number): Promise<Prunable>;
  /** Deletes a bounded part of them; see `Pruner`. */
  prune(call: PruneCall): Promise<Pruned>;
  /** The database's clock. */
  now(): Promise<Date>;
  /** Whether the schema is the one that this program was written for. */
  schemaState(): Promise<SchemaState>;
  /** How the whole pool is, from few rows. */
  pulse(): Promise<Pulse>;
  /** How the database server is set up. */
  database(): Promise<DatabaseView>;
  /** Milliseconds until a lease can expire at the earliest. */
  quietForMs(): number;
  /** Calls `onWork` whenever tasks may have become pending; a hint that may be missed. */
  subscribe(onWork: () => void): () => void;
  close(): Promise<void>;
}

/** Opens a store. The schema must be up to date: see `migrate`. */
export function createStore(options: StoreOptions): Store {
  const leaseSeconds = Math.min(options.leaseSeconds ?? LEASE_SECONDS, LEASE_SECONDS);
  const renewedLeaseSeconds = Math.min(options.renewedLeaseSeconds ?? 90, leaseSeconds);
  const monotonicMs = options.monotonicMs ?? (() => performance.now());
  const connections = openConnectionPools(options);
  const { database, durable } = connections;
  const wake = new WorkNotifier({ database, pool: durable, onDeaf: options.onDeaf, monotonicMs });
  const copies = new Copies(connections, monotonicMs);
  const order = options.order ?? 'shortest';
  const leaser = new Leaser(connections, monotonicMs, order, options.copies === false ? null : copies);
  const view = new PoolView(connections, order, options.copies !== false);
  const reporter = new Reporter(connections, new ModelIds(durable));
  const held = new HeldLeases(connections);
  const reclaimer = new Reclaimer(connections, monotonicMs, renewedLeaseSeconds * 1000);
  const jobs = new Jobs(connections);
  const results = new Results(connections);
  const workers = new Workers(connections);
  const unheard = new UnheardLeases(connections, held, workers);
  const boots = new Boots(connections);
  const pruner = new Pruner(connections);
  const observer = new Observer(connections);

  async function sentBack(): Promise<void> {
    leaser.forget();
    await wake.everywhere();
  }

  return {
    async submit(draft, items, bodyDigest) {
      const reply = await submit(connections.uploads, { ...draft, id: uuidv7() }, items, bodyDigest);
      leaser.expectWork();
      return reply;
    },
    readJob: (id) => jobs.read(id),
    explainJob: (job) => view.explain(job),
    pool: () => view.state(),
    listJobs: (page) => jobs.list(page),
    cancelJob: (id) => jobs.cancel(id),
    async retryJob(id, how) {
      const retried = await jobs.retry(id, how);
      if (retried.tasks > 0) await sentBack();
      return retried;
    },
    auditJob: (id) => jobs.audit(id),
    results: (jobId, itemCount) => results.pages(jobId, itemCount),
    resultOf: (jobId, itemId) => results.of(jobId, itemId),
    async lease({ renews, holds, ...call }) {
      const seconds = renews ? renewedLeaseSeconds : leaseSeconds;
      const leaseMs = seconds * 1000;
      const again = holds === undefined ? [] : await unheard.beside(holds, { ...call, leaseMs });
      return {
        leaseSeconds: seconds,
        tasks: again.length > 0 ? again : await leaser.lease({ ...call, leaseMs }),
      };
    },
    doubts: () => leaser.doubts(),
    async report(worker, entries) {
      const { verdicts, aftermath } = await reporter.report(worker, entries);
      await jobs.close(aftermath.mayBeFinished);
      if (aftermath.sentBack) await sentBack();
      else if (leaser.freed(worker)) wake.local();
      return verdicts;
    },
    async release(worker, leases) {
      const answers = await held.release(worker, leases);
      if (answers.includes(null)) await sentBack();
      return answers;
    },
    renew: (worker, leases) => held.renew(worker, leases, renewedLeaseSeconds * 1000),
    spare: (worker, suspects) => copies.spare(worker, suspects),
    heartbeat: (said) => workers.heartbeat(said),
    async releaseBoots(worker, boots) {
      const leases = await workers.heldByBoots(worker, boots);
      const answers = await held.release(worker, leases);
      if (answers.includes(null)) await sentBack();
    },
    keys: new Keys(connections),
    addBoot: (boot) => boots.add(boot),
    listBoots: (page) => boots.list(page),
    deploymentId: () => workers.deploymentId(),
    listWorkers: () => workers.list(),
    async reclaim({ force }) {
      const swept = force ? await reclaimer.now() : await reclaimer.ifDue();
      if (swept.failed > 0) await jobs.close(swept.jobIds);
      if (swept.reclaimed > 0) await sentBack();
      return swept;
    },
    prunable: (olderThanSeconds) => pruner.left(olderThanSeconds),
    prune: (call) => pruner.prune(call),
    now: () => observer.now(),
    schemaState: () => connections.durable.run((sql) => schemaState(sql)),
    pulse: () => observer.pulse(),
    database: () => observer.database(),
    quietForMs: () => reclaimer.quietForMs,
    subscribe: (onWork) =>
      wake.subscribe(() => {
        leaser.expectWork();
        onWork();
      }),
    async close() {
      wake.close();
      await connections.close();
    },
  };
}
