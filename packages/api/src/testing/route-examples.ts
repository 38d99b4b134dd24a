import type { RouteName } from '@macbatch/contract';
import { HEARTBEAT, JOB, LEASE } from './file-app.ts';

const ID = '00000000-0000-7000-8000-000000000000';
const LEASE_NAME = { task_id: '1', attempt: 1 };
const RESPONSE = { status_code: 400, request_id: 'req_1', body: '{}' };
const ERROR = { code: 'broken', message: 'it broke' };
const OUTCOME = { item_id: 'a', model: { name: 'm', digest: 'd' }, usage: { input_tokens: 1 } };

export interface Example {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** A valid request of every route, with every field that the contract has. */
export const EXAMPLES: { readonly [Name in RouteName]: Example } = {
  submitJob: {
    headers: { 'idempotency-key': 'key' },
    body: {
      ...JOB,
      params: { a: 1 },
      shard_size: 2,
      retry_on: 'errors',
      priority: 1,
      reuse: 'ledger',
      name: 'reviews.csv',
      items: [{ id: 'a', payload: { b: 1 } }],
    },
  },
  listJobs: {
    query: {
      limit: '1',
      before: ID,
      sort: 'open',
      state: 'queued,failed',
      type: 'noop',
      model: 'm',
      group: 'g',
      q: 'a',
    },
  },
  readJob: { params: { id: ID } },
  explainJob: { params: { id: ID } },
  readResults: { params: { id: ID }, query: { item_id: 'a', status: 'ok', after: '0', until_open: 'true' } },
  listItems: {
    params: { id: ID },
    query: { state: 'ok', failure: '0a1b2c3d', q: 'a', after: '1', limit: '1' },
  },
  readItem: { params: { id: ID }, query: { item_id: 'a', seq: '1' } },
  cancelJob: { params: { id: ID } },
  auditJob: { params: { id: ID } },
  countKnownKeys: { body: { keys: ['0'.repeat(64)] } },
  retryJob: { params: { id: ID }, body: { items: true, failure: '0a1b2c3d' } },
  listFailures: { params: { id: ID } },
  listEvents: { query: { job: ID, worker: 'ann', kind: 'task_error', limit: '1', before: '1' } },
  leaseTasks: {
    body: {
      ...LEASE,
      slots: 1,
      offers: [{ ...JOB, items_per_second: 1, loaded: true, load_seconds: 1 }],
      holds: [LEASE_NAME],
      renews: true,
      copies: true,
      wait_seconds: 0,
    },
  },
  completeBatch: {
    body: {
      worker_id: 'ann',
      entries: [
        {
          ...LEASE_NAME,
          outcomes: [
            { ...OUTCOME, output: '1', request_id: 'req_1' },
            { ...OUTCOME, error: { ...ERROR, response: RESPONSE } },
          ],
          final: false,
          error: ERROR,
        },
      ],
    },
  },
  releaseTasks: { body: { worker_id: 'ann', tasks: [{ ...LEASE_NAME, rejected: true }] } },
  heartbeat: {
    body: {
      ...HEARTBEAT,
      rates: [{ ...JOB, items_per_second: 1, loaded: true }],
      offline: false,
      own_pause: { rule: 'on_battery', reason: 'on battery (78 %)', since_seconds: 60 },
      former_boot_ids: ['old'],
      return_former: true,
      suspects: [{ ...LEASE_NAME, item_id: 'a' }],
      renew: [LEASE_NAME],
      troubles: [
        {
          ...JOB,
          endpoint: 'http://127.0.0.1:1',
          code: 'unauthorized',
          message: 'no key',
          since_seconds: 1,
          next_try_seconds: 1,
        },
      ],
      unreported: [LEASE_NAME],
    },
  },
  listWorkers: {},
  reportBoot: {
    body: {
      role: 'worker',
      name: 'ann',
      boot: {
        boot_id: 'b',
        pid: 1,
        hostname: 'h',
        started_at: '2026-01-01T00:00:00Z',
        cwd: '/',
        tmp_writable: true,
      },
      previous_boot_id: 'a',
    },
  },
  streamChanges: { query: { topics: `jobs,workers,events,job:${ID}` } },
  readThroughput: {
    query: {
      from: '2026-01-01T00:00:00Z',
      to: '2026-01-01T01:00:00Z',
      step: '60',
      by: 'worker',
      job: ID,
      worker: 'ann',
      model: 'm',
    },
  },
  pauseWorker: {
    params: { id: 'ann' },
    body: { reason: 'holidays', until: '2999-01-01T00:00:00Z', drain: true },
  },
  resumeWorker: { params: { id: 'ann' } },
  listBoots: { query: { name: 'ann', limit: '1' } },
  reclaim: {},
  prune: { body: { older_than_seconds: 1, row_limit: 1, dry_run: true } },
  readDatabase: {},
  readCaller: {},
  createKey: { body: { name: 'n', role: 'worker', group: 'g', worker_id: 'ann', expires_in_days: 1 } },
  listKeys: {},
  revokeKey: { params: { id: '0123456789abcdef' } },
  createJoinToken: { body: { worker_id: 'ann', expires_in_minutes: 1 } },
  createSession: {},
  endSession: {},
  joinWorker: { body: { worker_id: 'ann' } },
};
