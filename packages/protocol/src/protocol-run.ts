import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@macbatch/client';
import type { JobView } from '@macbatch/contract';
import { ConnectionConfig, pickVariables } from '@macbatch/settings';
import { EXIT, Failure, printLine, type Terminal } from '@macbatch/terminal';
import { ProtocolWorker } from './protocol-worker.ts';
import type { KillCost, Step } from './report.ts';

export interface ProtocolOptions {
  readonly client: Client;
  /** Folder of the workers' files and of the item count. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly secondsPerHour: number;
  readonly items: number;
  /** Longest time until a lease of these workers expires. */
  readonly leaseSeconds: number;
  /** Time limit for anything that should be quick. */
  readonly patienceSeconds: number;
}

/** The number of items that each worker runs concurrently. */
export const CONCURRENCY = 4;
const WORKERS = ['protocol-mac-1', 'protocol-mac-2'] as const;
const POLL_MS = 250;

/** State that the steps of the protocol share: clock, workers, job, findings. */
export class ProtocolRun {
  readonly options: ProtocolOptions;
  readonly workers: readonly [ProtocolWorker, ProtocolWorker];
  readonly steps: Step[] = [];
  readonly kills: KillCost[] = [];
  readonly startedAt = new Date();
  readonly #terminal: Terminal;
  jobId = '';

  constructor(options: ProtocolOptions, terminal: Terminal) {
    this.options = options;
    this.#terminal = terminal;
    const env = {
      ...Object.fromEntries(
        Object.entries(options.env).filter(
          ([name]) => !name.startsWith('MACBATCH_') && name !== 'PROBE_STATE',
        ),
      ),
      ...pickVariables(ConnectionConfig, options.env),
      MACBATCH_CONTROL_URL: options.client.baseUrl,
      MACBATCH_NOOP: '1',
      MACBATCH_USE_LITE: '0',
      MACBATCH_CONCURRENCY: String(CONCURRENCY),
      MACBATCH_LEASE_LIMIT: '2',
      MACBATCH_HEARTBEAT_SECONDS: '5',
    };
    const [first, second] = WORKERS;
    this.workers = [
      new ProtocolWorker(first, options.folder, env),
      new ProtocolWorker(second, options.folder, env),
    ];
  }

  get client(): Client {
    return this.options.client;
  }

  get leaseSeconds(): number {
    return this.options.leaseSeconds;
  }

  get patienceSeconds(): number {
    return this.options.patienceSeconds;
  }

  get interrupted(): AbortSignal {
    return this.#terminal.interrupted;
  }

  async stopWorkers(): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.stop()));
  }

  job(): Promise<JobView> {
    return this.client.call('readJob', { params: { id: this.jobId } }, { signal: this.interrupted });
  }

  /** Returns how many tasks a worker holds, according to the control plane. */
  async leasedTasks(worker: string): Promise<number> {
    const { workers } = await this.client.call('listWorkers', {});
    return workers.find(({ worker_id }) => worker_id === worker)?.tasks_leased ?? 0;
  }

  /** Records and prints the result of a step. */
  record(hour: number, name: string, expectation: string, passed: boolean, found: string): void {
    this.steps.push({ hour, name, expectation, held: passed, found });
    printLine(this.#terminal.stderr, `hour ${hour}: ${name}: ${passed ? 'held' : 'FAILED'} (${found})`);
  }

  /** Waits until an hour of the protocol. */
  async waitForHour(hour: number): Promise<void> {
    const at = this.startedAt.getTime() + hour * this.options.secondsPerHour * 1000;
    await this.#pause(Math.max(0, at - Date.now()));
  }

  /** Waits until `check` is true. Returns false if it is not true in time. */
  async waitFor(check: () => Promise<boolean>, withinSeconds: number): Promise<boolean> {
    const deadline = Date.now() + withinSeconds * 1000;
    while (!(await check())) {
      if (Date.now() > deadline) return false;
      await this.#pause(POLL_MS);
    }
    return true;
  }

  async #pause(ms: number): Promise<void> {
    await delay(ms, undefined, { signal: this.interrupted }).catch(() => {
      throw new Failure(EXIT.interrupted, 'interrupted');
    });
  }
}
