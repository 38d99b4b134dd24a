import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@macbatch/client';
import type { JobView } from '@macbatch/contract';
import { CONNECTION_VARIABLES } from '@macbatch/process';
import { EXIT, Failure } from '../failure.ts';
import { say, type Terminal } from '../terminal.ts';
import { HOURS, workload } from './plan.ts';
import { ProtocolWorker } from './protocol-worker.ts';
import type { KillCost, ProtocolReport, Step } from './report.ts';

export interface ProtocolOptions {
  readonly client: Client;
  /** Folder of the workers, the count outside and the report. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly secondsPerHour: number;
  readonly items: number;
  /** Longest that a lease of these workers takes to expire, in seconds. */
  readonly leaseSeconds: number;
  /** How long something that should be quick may take, in seconds. */
  readonly patienceSeconds: number;
}

const POLL_MS = 250;
const CONCURRENCY = 4;
/** The end may come later than planned by so many times what else is waited for. */
const LATE = 5;
const WORKERS = ['protocol-mac-1', 'protocol-mac-2'] as const;
const PROBE = 'protocol-probe';
const OFFERS = [{ job_type: 'noop' as const, model: 'noop' }];

/** Runs the 48-hour protocol and resolves with its report; it never stops at a step that fails. */
export async function runProtocol(options: ProtocolOptions, terminal: Terminal): Promise<ProtocolReport> {
  const protocol = new Protocol(options, terminal);
  try {
    return await protocol.run();
  } finally {
    await protocol.stopWorkers();
  }
}

class Protocol {
  readonly #options: ProtocolOptions;
  readonly #terminal: Terminal;
  readonly #workers: readonly [ProtocolWorker, ProtocolWorker];
  readonly #steps: Step[] = [];
  readonly #kills: KillCost[] = [];
  readonly #startedAt = new Date();
  #jobId = '';

  constructor(options: ProtocolOptions, terminal: Terminal) {
    this.#options = options;
    this.#terminal = terminal;
    const env = {
      ...Object.fromEntries(
        Object.entries(options.env).filter(
          ([name]) => !name.startsWith('MACBATCH_') && name !== 'PROBE_STATE',
        ),
      ),
      ...Object.fromEntries(CONNECTION_VARIABLES.map((name) => [name, options.env[name]])),
      MACBATCH_CONTROL_URL: options.client.baseUrl,
      MACBATCH_NOOP: '1',
      MACBATCH_USE_LITE: '0',
      MACBATCH_CONCURRENCY: String(CONCURRENCY),
      MACBATCH_LEASE_LIMIT: '2',
      MACBATCH_HEARTBEAT_SECONDS: '5',
    };
    const [first, second] = WORKERS;
    this.#workers = [
      new ProtocolWorker(first, options.folder, env),
      new ProtocolWorker(second, options.folder, env),
    ];
  }

  async run(): Promise<ProtocolReport> {
    const count = await this.#seed();
    await this.#startWorkers();
    await this.#until(HOURS.kill);
    await this.#killMidTask();
    await this.#reportTwice();
    await this.#until(HOURS.restart);
    await this.#restartWiped();
    await this.#until(HOURS.duplicates);
    await this.#lookForDuplicates(HOURS.duplicates);
    await this.#until(HOURS.end);
    const job = await this.#compareCounts(count);
    const duplicates = await this.#lookForDuplicates(HOURS.end);
    const { boots } = await this.#options.client.call('listBoots', { query: { limit: '1000' } });
    return {
      startedAt: this.#startedAt.toISOString(),
      controlPlane: this.#options.client.baseUrl,
      secondsPerHour: this.#options.secondsPerHour,
      jobId: this.#jobId,
      externalCount: count,
      boots: this.#workers.flatMap((worker) =>
        worker.boots().map(({ bootId, recordFound }) => ({
          worker: worker.name,
          bootId,
          recordFound,
          verdict: boots.find((boot) => boot.boot_id === bootId)?.verdict ?? null,
        })),
      ),
      kills: this.#kills,
      duplicates,
      done: job.items.ok,
      failed: job.items.error + job.items.failed,
      leaseExpiredEvents: job.lease_expired_events,
      steps: this.#steps,
      verdict: this.#steps.every((step) => step.held) ? 'passed' : 'failed',
    };
  }

  async stopWorkers(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.stop()));
  }

  async #seed(): Promise<number> {
    const { client, items, secondsPerHour, folder } = this.#options;
    const load = workload(secondsPerHour * HOURS.end, WORKERS.length * CONCURRENCY, items);
    async function* lines(): AsyncGenerator<string, void, undefined> {
      yield JSON.stringify({
        job_type: 'noop',
        model: 'noop',
        shard_size: load.shardSize,
        retry_on: 'errors',
        reuse: 'ledger',
        // A run of its own: nothing that an earlier one has paid for.
        params: { protocol: crypto.randomUUID() },
      });
      for (let n = 0; n < load.items; n += 1)
        yield JSON.stringify({ id: `item-${n}`, payload: { n, ms: load.itemMs } });
    }
    const { job } = await client.submit(lines, { signal: this.#terminal.interrupted });
    this.#jobId = job.id;
    // Outside of the database, before anything has run.
    writeFileSync(join(folder, 'count.json'), JSON.stringify({ job: job.id, items: load.items }));
    this.#note(
      0,
      'seed the ledger',
      'as many items are there as were sent',
      job.items.total === load.items,
      `${job.items.total} items`,
    );
    return load.items;
  }

  async #startWorkers(): Promise<void> {
    for (const worker of this.#workers) worker.start();
    const booted = await this.#soon(
      async () => this.#workers.every((worker) => worker.boots().length === 1),
      this.#options.patienceSeconds,
    );
    const counts = this.#workers.map((worker) => `${worker.name}: ${worker.boots().length}`).join(', ');
    this.#note(0, 'start the workers with the probe', 'one boot line each', booted, counts);
  }

  async #killMidTask(): Promise<void> {
    const [victim] = this.#workers;
    const before = await this.#job();
    const holding = await this.#soon(
      async () => (await this.#leased(victim.name)) > 0,
      this.#options.patienceSeconds,
    );
    const tasks = await this.#leased(victim.name);
    const held = victim.leases();
    await victim.kill();
    const killedAt = Date.now();
    // It stays away until its leases have been taken back: that is what is looked at.
    const back = await this.#soon(
      async () =>
        (await this.#leased(victim.name)) === 0 &&
        (await this.#job()).lease_expired_events > before.lease_expired_events,
      this.#options.leaseSeconds + this.#options.patienceSeconds,
    );
    const name = 'kill -9 a worker mid-task';
    const found = `${tasks} leased at the kill, ${await this.#leased(victim.name)} after ${((Date.now() - killedAt) / 1000).toFixed(1)} s`;
    this.#note(HOURS.kill, name, 'its leased tasks come back', holding && back, found);
    this.#kills.push(await this.#costOf(victim, held, killedAt));
    victim.start();
    await this.#soon(async () => victim.boots().length === 2, this.#options.patienceSeconds);
  }

  /** Who took over what a killed worker held, and when. */
  async #costOf(
    victim: ProtocolWorker,
    held: ReturnType<ProtocolWorker['leases']>,
    killedAt: number,
  ): Promise<KillCost> {
    const latest = new Map(held.map((lease) => [lease.taskId, lease.attempt]));
    const again = () =>
      this.#workers
        .flatMap((worker) => worker.leases())
        .filter(
          ({ taskId, attempt, at }) =>
            at >= killedAt && attempt > (latest.get(taskId) ?? Number.POSITIVE_INFINITY),
        );
    await this.#soon(async () => again().length > 0, this.#options.patienceSeconds);
    const leases = again();
    return {
      worker: victim.name,
      tasks: leases.length,
      rerunItems: leases.reduce((sum, lease) => sum + lease.items, 0),
      seconds: leases.length === 0 ? null : (Math.max(...leases.map(({ at }) => at)) - killedAt) / 1000,
    };
  }

  /** The answer to a report is lost and it is sent again: there must be one outcome all the same. */
  async #reportTwice(): Promise<void> {
    const { client } = this.#options;
    const boot = crypto.randomUUID();
    const { tasks } = await client.call('leaseTasks', {
      body: {
        worker_id: PROBE,
        boot_id: boot,
        lease_limit: 1,
        offers: OFFERS,
        renews: true,
        wait_seconds: 30,
      },
    });
    const [task] = tasks;
    const item = task?.items[0];
    if (task === undefined || item === undefined) {
      this.#note(
        HOURS.kill,
        'send a report twice',
        'it is recorded once',
        false,
        'no task was left to lease',
      );
      return;
    }
    const { task_id, attempt } = task;
    const entry = {
      task_id,
      attempt,
      final: false,
      outcomes: [{ item_id: item.item_id, output: '{"ok":true}' }],
    };
    const ok = (await this.#job()).items.ok;
    for (let n = 0; n < 2; n += 1)
      await client.call('completeBatch', { body: { worker_id: PROBE, entries: [entry] } });
    await client.call('releaseTasks', { body: { worker_id: PROBE, tasks: [{ task_id, attempt }] } });
    const lines: string[] = [];
    for await (const line of client.results(this.#jobId, { item_id: item.item_id })) lines.push(line);
    const found = `${lines.length} outcome, ${(await this.#job()).items.ok - ok} more in the job since`;
    this.#note(HOURS.kill, 'send a report twice', 'it is recorded once', lines.length === 1, found);
  }

  async #restartWiped(): Promise<void> {
    const [, host] = this.#workers;
    const before = host.boots();
    await host.kill();
    host.wipe();
    const { items } = await this.#job();
    host.start();
    const booted = await this.#soon(
      async () => host.boots().length > before.length,
      this.#options.patienceSeconds,
    );
    const boot = host.boots().at(-1);
    const isNew =
      booted &&
      boot !== undefined &&
      !boot.recordFound &&
      before.every(({ bootId }) => bootId !== boot.bootId);
    const ended = items.ok + items.error + items.failed;
    const goesOn = await this.#soon(async () => {
      const now = await this.#job();
      return now.items.ok + now.items.error + now.items.failed > ended || now.items.open === 0;
    }, this.#options.leaseSeconds + this.#options.patienceSeconds);
    const found = `boot ${boot?.bootId ?? 'missing'}, record ${boot?.recordFound === true ? 'found' : 'not found'}, the job ${goesOn ? 'goes on' : 'stands still'}`;
    this.#note(
      HOURS.restart,
      'restart a host with its temp folder wiped',
      'a new boot id, no record, the job goes on',
      isNew && goesOn,
      found,
    );
  }

  async #lookForDuplicates(hour: number): Promise<{ readonly byItem: number; readonly byKey: number }> {
    const audit = await this.#options.client.call('auditJob', { params: { id: this.#jobId } });
    const { duplicate_items: byItem, duplicate_keys: byKey } = audit;
    const found = `${byItem} by job and item, ${byKey} by key`;
    this.#note(hour, 'look for duplicates', 'none', byItem === 0 && byKey === 0, found);
    return { byItem, byKey };
  }

  async #compareCounts(count: number): Promise<JobView> {
    await this.#soon(
      async () => (await this.#job()).items.open === 0,
      LATE * this.#options.patienceSeconds + this.#options.leaseSeconds,
    );
    const job = await this.#job();
    const bad = job.items.error + job.items.failed;
    const held = job.items.ok + bad === count && job.items.open === 0;
    const found = `${job.items.ok} + ${bad} of ${count}`;
    this.#note(HOURS.end, 'compare done + failed with the count outside', 'equal', held, found);
    return job;
  }

  #job(): Promise<JobView> {
    return this.#options.client.call(
      'readJob',
      { params: { id: this.#jobId } },
      { signal: this.#terminal.interrupted },
    );
  }

  async #leased(worker: string): Promise<number> {
    const { workers } = await this.#options.client.call('listWorkers', {});
    return workers.find(({ worker_id }) => worker_id === worker)?.tasks_leased ?? 0;
  }

  #note(hour: number, name: string, expectation: string, held: boolean, found: string): void {
    this.#steps.push({ hour, name, expectation, held, found });
    say(this.#terminal.stderr, `hour ${hour}: ${name}: ${held ? 'held' : 'FAILED'} (${found})`);
  }

  async #until(hour: number): Promise<void> {
    const at = this.#startedAt.getTime() + hour * this.#options.secondsPerHour * 1000;
    await this.#pause(Math.max(0, at - Date.now()));
  }

  async #soon(look: () => Promise<boolean>, withinSeconds: number): Promise<boolean> {
    const deadline = Date.now() + withinSeconds * 1000;
    while (!(await look())) {
      if (Date.now() > deadline) return false;
      await this.#pause(POLL_MS);
    }
    return true;
  }

  async #pause(ms: number): Promise<void> {
    await delay(ms, undefined, { signal: this.#terminal.interrupted }).catch(() => {
      throw new Failure(EXIT.interrupted, 'interrupted');
    });
  }
}
