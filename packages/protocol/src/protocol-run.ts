import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@macbatch/client';
import type { JobView } from '@macbatch/contract';
import { ConnectionConfig, pickVariables } from '@macbatch/settings';
import { EXIT, Failure, say, type Terminal } from '@macbatch/terminal';
import { ProtocolWorker } from './protocol-worker.ts';
import type { KillCost, Step } from './report.ts';

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

/** Items that each worker of the protocol runs at once. */
export const CONCURRENCY = 4;
const WORKERS = ['protocol-mac-1', 'protocol-mac-2'] as const;
const POLL_MS = 250;

/** What the steps of the protocol share: its clock, its workers, its job, and what they have found. */
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

  /** Tasks that a worker holds, as the control plane has it. */
  async leased(worker: string): Promise<number> {
    const { workers } = await this.client.call('listWorkers', {});
    return workers.find(({ worker_id }) => worker_id === worker)?.tasks_leased ?? 0;
  }

  /** Keeps how a step went, and says it. */
  note(hour: number, name: string, expectation: string, held: boolean, found: string): void {
    this.steps.push({ hour, name, expectation, held, found });
    say(this.#terminal.stderr, `hour ${hour}: ${name}: ${held ? 'held' : 'FAILED'} (${found})`);
  }

  /** Resolves at an hour of the protocol. */
  async until(hour: number): Promise<void> {
    const at = this.startedAt.getTime() + hour * this.options.secondsPerHour * 1000;
    await this.#pause(Math.max(0, at - Date.now()));
  }

  /** Whether something becomes true in time. */
  async soon(look: () => Promise<boolean>, withinSeconds: number): Promise<boolean> {
    const deadline = Date.now() + withinSeconds * 1000;
    while (!(await look())) {
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
