import { mkdtempSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from '@macbatch/client';
import type { JobView, ResultLine } from '@macbatch/contract';
import { openPostgres } from '@macbatch/postgres';
import { audit } from '@macbatch/store/testing';
import postgres from 'postgres';
import { Dice } from './dice.ts';
import { type FaultProxy, faultProxy, type ProxyCounts } from './fault-proxy.ts';
import { Machine } from './machine.ts';

export interface ChaosOptions {
  readonly seed: number;
  /** How long to make faults. The job may take longer. */
  readonly seconds: number;
  readonly workers: number;
  readonly controls: number;
  readonly say: (line: string) => void;
}

export interface ChaosReport {
  readonly seed: number;
  readonly items: number;
  readonly faults: Readonly<Record<string, number>>;
  readonly workerKills: number;
  readonly network: ProxyCounts;
  readonly leaseExpiredEvents: number;
  readonly leasesGranted: number;
  readonly seconds: number;
  /** Everything that is wrong at the end. Empty after a good run. */
  readonly problems: readonly string[];
}

const LEASE_SECONDS = 3;
const ITEM_MS = 120;
const SHARD = 4;
/** Time limit for the job after the faults have stopped. */
const END_TIMEOUT_SECONDS = 240;
const FIRST_PORT = 18_400;

/** Runs a pool with faults, then checks that nothing was lost or recorded twice. */
export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const chaos = new Chaos(options);
  await chaos.open();
  try {
    return await chaos.run();
  } finally {
    await chaos.close();
  }
}

class Chaos {
  readonly #options: ChaosOptions;
  readonly #dice: Dice;
  readonly #folder = mkdtempSync(join(tmpdir(), 'macbatch-chaos-'));
  readonly #faults: Record<string, number> = {};
  readonly #port: number;
  #server: { url: string; close(): Promise<void> } | null = null;
  #controls: Machine[] = [];
  #workers: Machine[] = [];
  #proxy: FaultProxy | null = null;

  constructor(options: ChaosOptions) {
    this.#options = options;
    this.#dice = new Dice(options.seed);
    this.#port = FIRST_PORT + (process.pid % 1000) * 10;
  }

  async open(): Promise<void> {
    this.#server = await openPostgres({ dataDir: join(this.#folder, 'postgres'), port: this.#port });
    const { url } = this.#server;
    this.#controls = Array.from({ length: this.#options.controls }, (_, n) => {
      const name = `control-${n + 1}`;
      const env = {
        MACBATCH_DATABASE_URL: url,
        MACBATCH_PORT: String(this.#port + 1 + n),
        MACBATCH_CONTROL_NAME: name,
        MACBATCH_RENEWED_LEASE_SECONDS: String(LEASE_SECONDS),
        PROBE_STATE: join(this.#folder, 'probe.json'),
      };
      return new Machine({ app: 'control', name, env, folder: this.#folder });
    });
    for (const control of this.#controls) control.start();
    await Promise.all(
      this.#controls.map((_, n) => this.#waitForAnswer(`http://127.0.0.1:${this.#port + 1 + n}`)),
    );
    const urls = this.#controls.map((_, n) => `http://127.0.0.1:${this.#port + 1 + n}`);
    this.#proxy = await faultProxy(urls, this.#dice);
    const { url: proxyUrl } = this.#proxy;
    this.#workers = Array.from({ length: this.#options.workers }, (_, n) => this.#createWorker(n, proxyUrl));
  }

  async run(): Promise<ChaosReport> {
    const started = Date.now();
    const direct = new Client({ baseUrl: `http://127.0.0.1:${this.#port + 1}` });
    // Enough to keep the pool busy during the faults.
    const items = Math.ceil((this.#options.seconds * 1000 * this.#options.workers * 2) / ITEM_MS / 3);
    const { job } = await direct.submit(() => submission(items));
    for (const worker of this.#workers) worker.start();
    await this.#makeFaults();
    this.#options.say(`faults made: ${JSON.stringify(this.#faults)}; waiting for the end of the job`);
    this.#proxy?.stopFaults();
    const ended = await this.#waitForEnd(direct, job.id);
    const problems = await this.#findProblems(direct, ended, items);
    return {
      seed: this.#options.seed,
      items,
      faults: this.#faults,
      workerKills: this.#workers.reduce((sum, worker) => sum + worker.kills, 0),
      network: this.#proxy?.counts ?? { answered: 0, lostBefore: 0, lostAfter: 0, doubled: 0 },
      leaseExpiredEvents: ended.lease_expired_events,
      leasesGranted: ended.leases_granted,
      seconds: (Date.now() - started) / 1000,
      problems,
    };
  }

  async close(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.kill()));
    await this.#proxy?.close();
    await Promise.all(this.#controls.map((control) => control.stop()));
    await this.#server?.close();
    await rm(this.#folder, { recursive: true, force: true });
  }

  #createWorker(n: number, proxyUrl: string): Machine {
    const name = `worker-${n + 1}`;
    // Two clocks are wrong by two hours: one is fast, one is slow.
    const off = n === 0 ? 7_200_000 : n === 1 ? -7_200_000 : 0;
    const env = {
      MACBATCH_CONTROL_URL: proxyUrl,
      MACBATCH_WORKER_ID: name,
      MACBATCH_NOOP: '1',
      MACBATCH_USE_LITE: '0',
      MACBATCH_CONCURRENCY: '2',
      MACBATCH_LEASE_LIMIT: '2',
      MACBATCH_STATE_DIR: join(this.#folder, 'state'),
      PROBE_STATE: join(this.#folder, 'probe.json'),
      ...(off === 0
        ? {}
        : {
            CLOCK_OFF_MS: String(off),
            NODE_OPTIONS: `--import=${resolve(import.meta.dirname, 'clock-off.ts')}`,
          }),
    };
    return new Machine({ app: 'worker', name, env, folder: this.#folder });
  }

  async #makeFaults(): Promise<void> {
    const until = Date.now() + this.#options.seconds * 1000;
    while (Date.now() < until) {
      await delay(this.#dice.between(50, 700));
      await this.#fault();
    }
    for (const worker of this.#workers) worker.thaw();
    for (const machine of [...this.#workers, ...this.#controls]) if (!machine.running) machine.start();
  }

  async #fault(): Promise<void> {
    const chance = this.#dice.next();
    if (chance < 0.62) return this.#killWorker();
    if (chance < 0.74) return this.#closeLid();
    if (chance < 0.86) return this.#killControl();
    if (chance < 0.96) return this.#cutConnections();
    return this.#crashDatabase();
  }

  async #killWorker(): Promise<void> {
    this.#count('worker killed');
    const worker = this.#dice.of(this.#workers);
    await worker.kill();
    worker.start();
  }

  async #closeLid(): Promise<void> {
    const worker = this.#dice.of(this.#workers);
    if (!worker.running) return;
    this.#count('lid closed past the lease');
    worker.freeze();
    void delay((LEASE_SECONDS + this.#dice.between(1, 4)) * 1000).then(() => worker.thaw());
  }

  async #killControl(): Promise<void> {
    this.#count('control plane killed');
    const control = this.#dice.of(this.#controls);
    await control.kill();
    control.start();
  }

  async #cutConnections(): Promise<void> {
    this.#count('connections cut');
    const sql = postgres(this.#server?.url ?? '', { max: 1, onnotice: () => undefined, connect_timeout: 5 });
    await sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where application_name like 'macbatch%' and pid <> pg_backend_pid() and random() < 0.5`.catch(
      () => undefined,
    );
    await sql.end({ timeout: 1 });
  }

  async #crashDatabase(): Promise<void> {
    this.#count('database crashed');
    const pid = Number(
      readFileSync(join(this.#folder, 'postgres', 'cluster', 'postmaster.pid'), 'utf8').split('\n')[0],
    );
    process.kill(pid, 'SIGQUIT'); // like `pg_ctl stop -m immediate`
    await this.#server?.close().catch(() => undefined);
    await delay(this.#dice.between(0, 1500));
    this.#server = await openPostgres({ dataDir: join(this.#folder, 'postgres'), port: this.#port });
    for (const control of this.#controls) if (!control.running) control.start();
  }

  #count(fault: string): void {
    this.#faults[fault] = (this.#faults[fault] ?? 0) + 1;
  }

  async #waitForAnswer(url: string): Promise<void> {
    for (let n = 0; n < 600; n += 1) {
      const reply = await fetch(`${url}/healthz`).catch(() => null);
      if (reply?.ok === true) return;
      await delay(100);
    }
    throw new Error(`${url} does not answer`);
  }

  async #waitForEnd(client: Client, id: string): Promise<JobView> {
    const deadline = Date.now() + END_TIMEOUT_SECONDS * 1000;
    for (;;) {
      const job = await client.call('readJob', { params: { id } }).catch(() => null);
      if (job !== null && (job.items.open === 0 || Date.now() > deadline)) return job;
      if (Date.now() > deadline) throw new Error('the control plane no longer answers');
      for (const machine of [...this.#workers, ...this.#controls]) if (!machine.running) machine.start();
      await delay(500);
    }
  }

  async #findProblems(client: Client, job: JobView, items: number): Promise<string[]> {
    const problems: string[] = [];
    if (job.state !== 'done' || job.items.ok !== items)
      problems.push(`the job is ${job.state}: ${JSON.stringify(job.items)}`);
    if (job.tasks.leased !== 0) problems.push(`${job.tasks.leased} tasks are still leased`);
    let n = 0;
    for await (const text of client.results(job.id)) {
      const line = JSON.parse(text) as ResultLine;
      const expected = JSON.stringify({ ok: true, n });
      if (line.id !== `item-${n}` || JSON.stringify(line.output) !== expected)
        problems.push(`line ${n + 1} is ${text.slice(0, 120)}`);
      n += 1;
    }
    if (n !== items) problems.push(`${n} outcomes of ${items} items`);
    return [...problems, ...(await audit(this.#server?.url ?? ''))];
  }
}

async function* submission(items: number): AsyncGenerator<string, void, undefined> {
  yield JSON.stringify({ job_type: 'noop', model: 'noop', shard_size: SHARD, retry_on: 'errors' });
  for (let n = 0; n < items; n += 1) yield JSON.stringify({ id: `item-${n}`, payload: { n, ms: ITEM_MS } });
}
