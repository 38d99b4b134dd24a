import type { EntryReply, LeasedTask, Problem } from '@macbatch/contract';
import type { StoreOptions } from '@macbatch/store';
import { rowCounts, type SharedStore, sharedStore } from '@macbatch/store/testing';
import type { Hono } from 'hono';
import { expect } from 'vitest';
import { type AppOptions, createApp } from '../app.ts';

export interface FileApp {
  readonly db: SharedStore;
  readonly app: Hono;
  /** Internal errors. Tests expect none. */
  readonly errors: readonly Error[];
  /** Sends text or bytes unchanged, any other value as JSON. */
  send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Response>;
  /** Expects a refused request that changed no table. */
  refused(request: () => Promise<Response>): Promise<Problem>;
  /** Submits items with these ids, one per task, and leases `limit` of them for ann. */
  leased(ids: readonly string[], limit?: number, shardSize?: number): Promise<LeasedTask[]>;
  report(entries: readonly unknown[], worker?: string): Promise<EntryReply[]>;
}

export const NDJSON = { 'content-type': 'application/x-ndjson' };
export const JOB = { job_type: 'noop', model: 'noop' } as const;
export const LEASE = { worker_id: 'ann', boot_id: 'boot', lease_limit: 10, offers: [JOB] } as const;

export const HEARTBEAT = {
  worker_id: 'ann',
  boot_id: 'boot',
  hostname: 'h',
  job_types: ['noop'],
  models: ['noop'],
  concurrency: 1,
  lease_limit: 1,
} as const;

/** One control plane for the tests of a file. Its database is emptied before each test. */
export function fileApp(
  options: Omit<AppOptions, 'store'> = {},
  storeOptions: Omit<StoreOptions, 'url'> = {},
): FileApp {
  const db = sharedStore(storeOptions);
  const errors: Error[] = [];
  let app: Hono | undefined;
  const opened = () => {
    app ??= createApp({ store: db.store, open: true, onError: (error) => errors.push(error), ...options });
    return app;
  };
  const send: FileApp['send'] = async (method, path, body, headers = {}) =>
    opened().request(path, {
      method,
      headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: asBody(body) }),
      ...(body instanceof ReadableStream ? { duplex: 'half' } : {}),
    });
  const sendJson = async <Reply>(path: string, body: unknown): Promise<Reply> => {
    const response = await send('POST', path, body);
    if (!response.ok) throw new Error(await response.text());
    return (await response.json()) as Reply;
  };
  return {
    db,
    get app() {
      return opened();
    },
    errors,
    send,
    async refused(request) {
      const before = await rowCounts(db.sql);
      const response = await request();
      const problem = (await response.json()) as Problem;
      expect(problem).toMatchObject({ status: response.status, code: expect.any(String) });
      expect(response.headers.get('content-type')).toBe('application/problem+json');
      expect(response.status).toBeGreaterThanOrEqual(400);
      expect(response.status).toBeLessThan(500);
      expect(await rowCounts(db.sql)).toEqual(before);
      return problem;
    },
    async leased(ids, limit = ids.length, shardSize = 1) {
      const items = ids.map((id) => ({ id, payload: 1 }));
      await sendJson('/v1/jobs', { ...JOB, shard_size: shardSize, items });
      const { tasks } = await sendJson<{ tasks: LeasedTask[] }>('/v1/tasks/lease', {
        ...LEASE,
        lease_limit: limit,
      });
      return tasks;
    },
    async report(entries, worker = 'ann') {
      const body = { worker_id: worker, entries };
      return (await sendJson<{ entries: EntryReply[] }>('/v1/tasks/complete_batch', body)).entries;
    },
  };
}

function asBody(body: unknown): NonNullable<RequestInit['body']> {
  if (typeof body === 'string' || body instanceof Uint8Array || body instanceof ReadableStream)
    return body as string;
  return JSON.stringify(body);
}

/** A final entry with an output for each item. */
export function completed(task: LeasedTask, output = 'true') {
  return {
    task_id: task.task_id,
    attempt: task.attempt,
    outcomes: task.items.map(({ item_id }) => ({ item_id, output })),
    final: true,
  };
}
