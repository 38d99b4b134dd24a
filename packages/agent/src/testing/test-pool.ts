import { createApp, createBatchRunner } from '@macbatch/api';
import { Client } from '@macbatch/client';
import type { JobView, ResultLine } from '@macbatch/contract';
import type { LeasedTask, StoreOptions } from '@macbatch/store';
import { type FreshStore, freshStore, leaseTasks, makeLeasesPass } from '@macbatch/store/testing';
import { until } from '@macbatch/testing';
import { onTestFinished } from 'vitest';
import { Agent } from '../agent/agent.ts';
import type { AgentOptions } from '../agent/agent-options.ts';
import { sleep } from '../loops/backoff.ts';
import type { Runtime } from '../runtimes/runtime.ts';
import { SHORT_PAUSES } from './short-pauses.ts';

/** An event in an agent's log. */
export type Logged = { readonly event: string } & Readonly<Record<string, unknown>>;

export interface TestAgent {
  readonly agent: Agent;
  readonly log: readonly Logged[];
  /** Paths of its requests, in order. */
  readonly requests: readonly string[];
  /** Logged events with this name. */
  logged(event: string): readonly Logged[];
  /** While true, the control plane is unreachable for this agent. */
  away: boolean;
  /** Makes the control plane unreachable, and waits until no heartbeat or report of this agent is under way. */
  goAway(): Promise<void>;
  ask(): void;
  forceQuit(): void;
  readonly ended: Promise<void>;
}

export interface StartOptions extends Partial<AgentOptions> {
  /** Later requests for work get no answer. */
  readonly leaseRequestsAtMost?: number;
  readonly away?: boolean;
  /** The control plane answers requests for work, and the answers never arrive. */
  readonly losesLeaseReplies?: boolean;
  /** Reports never arrive. */
  readonly losesReports?: boolean;
}

/** A control plane with its own database. Agents send real requests and get real replies, without a socket. */
export class TestPool {
  readonly #fresh: FreshStore;
  readonly client: Client;
  readonly request: (url: string, init: RequestInit) => Promise<Response> | Response;
  /** Does the background work of batches until the signal aborts. */
  readonly runBatches: (signal: AbortSignal) => Promise<void>;
  readonly batchErrors: Error[] = [];

  private constructor(fresh: FreshStore, limits: { readonly maxJsonBytes?: number }) {
    this.#fresh = fresh;
    const batches = createBatchRunner({
      store: fresh.store,
      onError: (error) => this.batchErrors.push(error),
    });
    this.runBatches = (signal) => batches.run(signal);
    const app = createApp({ store: fresh.store, open: true, limits, onBatchWork: batches.wake });
    this.request = (url, init) => app.request(url, init);
    this.client = new Client({ baseUrl: 'http://control.test', fetch: this.request });
  }

  /** Opens a pool that is removed when the test has finished. */
  static async open(
    options: Omit<StoreOptions, 'url'> & { readonly maxJsonBytes?: number } = {},
  ): Promise<TestPool> {
    const { maxJsonBytes, ...storeOptions } = options;
    const fresh = await freshStore(storeOptions);
    onTestFinished(() => fresh[Symbol.asyncDispose]());
    return new TestPool(fresh, maxJsonBytes === undefined ? {} : { maxJsonBytes });
  }

  get store(): FreshStore['store'] {
    return this.#fresh.store;
  }

  get sql(): FreshStore['sql'] {
    return this.#fresh.sql;
  }

  get url(): string {
    return this.#fresh.url;
  }

  async job(id: string): Promise<JobView> {
    return this.client.call('readJob', { params: { id } });
  }

  /** Waits until nothing of the job is left to run. */
  async ended(id: string): Promise<JobView> {
    return until(async () => {
      const job = await this.job(id);
      return job.state !== 'queued' && job.state !== 'running' && job;
    });
  }

  async results(id: string): Promise<ResultLine[]> {
    const lines: ResultLine[] = [];
    for await (const line of this.client.results(id)) lines.push(JSON.parse(line) as ResultLine);
    return lines;
  }

  /** Expires all leases, and leases one task to another worker before the agent can renew it. Returns that lease. */
  async takeLeases(
    holder: Pick<TestAgent, 'away' | 'goAway'>,
    worker: string,
  ): Promise<readonly LeasedTask[]> {
    // A heartbeat under way would renew the leases.
    await holder.goAway();
    await makeLeasesPass(this.sql);
    await this.client.call('reclaim', {});
    const taken = await leaseTasks(this.store, worker);
    holder.away = false;
    return taken;
  }

  /** Starts an agent. It is stopped when the test has finished. */
  start(workerId: string, runtime: Runtime, options: StartOptions = {}): TestAgent {
    const log: Logged[] = [];
    const requests: string[] = [];
    const {
      leaseRequestsAtMost = Number.POSITIVE_INFINITY,
      away = false,
      losesLeaseReplies = false,
      losesReports = false,
      ...agentOptions
    } = options;
    const reach = { away };
    let leaseRequests = 0;
    let underWay = 0;
    const asked = new AbortController();
    const quit = new AbortController();
    const fetch = async (url: string, init: RequestInit): Promise<Response> => {
      const path = new URL(url).pathname;
      requests.push(path);
      if (reach.away) throw new TypeError('fetch failed');
      if (losesReports && path === '/v1/tasks/complete_batch') throw new TypeError('fetch failed');
      if (path === '/v1/tasks/lease') {
        leaseRequests += 1;
        if (leaseRequests > leaseRequestsAtMost) await untilAborted(init.signal);
        if (losesLeaseReplies) {
          // Without the signal, so that the control plane does not notice that nobody listens any more.
          await this.request(url, { ...init, signal: null });
          await untilAborted(init.signal);
        }
      }
      // A request for work may wait for long.
      const counted = path === '/v1/tasks/lease' ? 0 : 1;
      underWay += counted;
      try {
        return await this.request(url, init);
      } finally {
        underWay -= counted;
      }
    };
    const agent = new Agent({
      client: new Client({ baseUrl: 'http://control.test', fetch, retries: 0 }),
      workerId,
      bootId: `boot-of-${workerId}`,
      hostname: 'test-mac',
      runtimes: [runtime],
      concurrency: 2,
      leaseLimit: 1,
      graceMs: 60_000,
      heartbeatMs: 100,
      log: (event, fields = {}) => log.push({ event, ...fields }),
      now: () => Date.now(),
      sleep: (ms, signal) => sleep(Math.min(ms, 10), signal),
      random: () => 0.5,
      pauses: SHORT_PAUSES,
      ...agentOptions,
    });
    const started: Omit<TestAgent, 'away'> = {
      agent,
      log,
      requests,
      logged: (event) => log.filter((each) => each.event === event),
      goAway: async () => {
        reach.away = true;
        await until(() => underWay === 0);
      },
      ask: () => asked.abort(),
      forceQuit: () => quit.abort(),
      ended: agent.run(asked.signal, quit.signal),
    };
    onTestFinished(async () => {
      started.ask();
      started.forceQuit();
      await started.ended;
    });
    return Object.assign(reach, started);
  }
}

function untilAborted(signal: AbortSignal | null | undefined): Promise<never> {
  return new Promise((_, reject) => {
    const end = () => reject(signal?.reason as Error);
    if (signal?.aborted === true) end();
    signal?.addEventListener('abort', end, { once: true });
  });
}
