import { Client } from '@macbatch/client';
import type {
  Heartbeat,
  HeartbeatReply,
  LeasedTask,
  LeaseName,
  LeaseRequest,
  Outcome,
  ReleasedLease,
  ReportRequest,
} from '@macbatch/contract';
import { MAX_ATTEMPTS } from '@macbatch/core';
import type { Offer } from '../runtimes/runtime.ts';

const LEASE_SECONDS = 600;
const JOB_ID = '0198c0de-0000-7000-8000-000000000000';

interface MemoryTask {
  readonly id: string;
  readonly items: LeasedTask['items'];
  readonly outcomes: Map<string, Outcome>;
  attempts: number;
  returns: number;
  rejected: boolean;
  state: 'pending' | 'leased' | 'done' | 'failed';
}

type Handler = (body: never, signal: AbortSignal | null) => Promise<object> | object;

/**
 * A control plane with one job for one worker, in memory: for tests that run hundreds of workers, which a database would
 * slow down. It grants the first pending task to a worker that offers it, and counts attempts as rules T2 and T6 say.
 */
export class MemoryControlPlane {
  readonly client: Client;
  /** Troubles that the worker has reported, by code. */
  readonly troubles = new Map<string, string>();
  readonly #offer: Offer;
  readonly #tasks: readonly MemoryTask[];
  readonly #over = Promise.withResolvers<void>();
  #changed = Promise.withResolvers<void>();

  constructor(offer: Offer, shards: readonly LeasedTask['items'][]) {
    this.#offer = offer;
    this.#tasks = shards.map((items, n) => ({
      id: `${n + 1}`,
      items,
      outcomes: new Map(),
      attempts: 0,
      returns: 0,
      rejected: false,
      state: 'pending',
    }));
    const handlers: Readonly<Record<string, Handler>> = {
      '/v1/workers/heartbeat': (body: Heartbeat) => this.#heartbeat(body),
      '/v1/tasks/lease': (body: LeaseRequest, signal) => this.#lease(body, signal),
      '/v1/tasks/complete_batch': (body: ReportRequest) => this.#report(body),
      '/v1/tasks/release': (body: { readonly tasks: readonly ReleasedLease[] }) => this.#release(body.tasks),
    };
    this.client = new Client({
      baseUrl: 'http://control.test',
      retries: 0,
      async fetch(url, { body, signal }) {
        const handler = handlers[new URL(url).pathname];
        if (handler === undefined) throw new TypeError(`no route ${url}`);
        return Response.json(await handler(JSON.parse(String(body)) as never, signal ?? null));
      },
    });
  }

  /** Resolves when every task is done or failed. */
  get over(): Promise<void> {
    return this.#over.promise;
  }

  get outcomes(): ReadonlyMap<string, Outcome> {
    return new Map(this.#tasks.flatMap(({ outcomes }) => [...outcomes]));
  }

  /** Leases that were charged to a task and ended without an outcome of every item. */
  get charged(): number {
    return this.#tasks.reduce((sum, { attempts, returns }) => sum + attempts - returns - 1, 0);
  }

  #heartbeat({ renew = [], troubles = [] }: Heartbeat): HeartbeatReply {
    for (const { code, message } of troubles) this.troubles.set(code, message);
    return {
      now: new Date().toISOString(),
      deployment_id: 'memory',
      lost: renew.filter((lease) => this.#held(lease) === undefined).map(lost),
      settled: [],
      ignored: [],
      pause: null,
    };
  }

  async #lease(
    { offers }: LeaseRequest,
    signal: AbortSignal | null,
  ): Promise<{ readonly tasks: readonly LeasedTask[] }> {
    const isOffered = offers.some(
      ({ job_type, model }) => job_type === this.#offer.job_type && model === this.#offer.model,
    );
    while (signal?.aborted !== true) {
      const task = isOffered ? this.#tasks.find(({ state }) => state === 'pending') : undefined;
      if (task !== undefined) return { tasks: [this.#grant(task)] };
      const aborted = Promise.withResolvers<void>();
      signal?.addEventListener('abort', () => aborted.resolve(), { once: true });
      await Promise.race([this.#changed.promise, aborted.promise]);
    }
    throw signal.reason;
  }

  #grant(task: MemoryTask): LeasedTask {
    task.state = 'leased';
    task.attempts += 1;
    return {
      task_id: task.id,
      job_id: JOB_ID,
      attempt: task.attempts,
      lease_seconds: LEASE_SECONDS,
      ...this.#offer,
      params: '{}',
      copy: false,
      no_other_worker: task.rejected,
      items: task.items.filter(({ item_id }) => !task.outcomes.has(item_id)),
    };
  }

  #report({ entries }: ReportRequest): object {
    const replies = entries.map(({ task_id, attempt, outcomes, error }) => {
      const task = this.#held({ task_id, attempt });
      if (task === undefined) {
        return { task_id, attempt, outcome: 'refused', code: 'lease_lost', task_status: null };
      }
      for (const outcome of outcomes) task.outcomes.set(outcome.item_id, outcome);
      if (task.outcomes.size === task.items.length) task.state = 'done';
      else if (error !== undefined) {
        task.state = task.attempts - task.returns >= MAX_ATTEMPTS ? 'failed' : 'pending';
      }
      return { task_id, attempt, outcome: 'accepted', task_status: task.state };
    });
    this.#noteChange();
    return { entries: replies };
  }

  #release(leases: readonly ReleasedLease[]): object {
    const tasks = leases.map(({ rejected = false, ...lease }) => {
      const task = this.#held(lease);
      if (task === undefined) return { ...lease, outcome: 'refused', code: 'lease_lost' };
      task.returns += 1;
      task.rejected ||= rejected;
      task.state = 'pending';
      return { ...lease, outcome: 'accepted' };
    });
    this.#noteChange();
    return { tasks };
  }

  #held({ task_id, attempt }: LeaseName): MemoryTask | undefined {
    return this.#tasks.find(
      (task) => task.id === task_id && task.attempts === attempt && task.state === 'leased',
    );
  }

  /** Answers lease requests that wait. */
  #noteChange(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers<void>();
    if (this.#tasks.every(({ state }) => state === 'done' || state === 'failed')) this.#over.resolve();
  }
}

function lost(lease: LeaseName): HeartbeatReply['lost'][number] {
  return { ...lease, code: 'lease_lost' };
}
