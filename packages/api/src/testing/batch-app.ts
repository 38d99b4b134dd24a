import type { RequestEndpoint } from '@macbatch/core';
import type { LeasedTask, Outcome, Store } from '@macbatch/store';
import { expect } from 'vitest';
import type { BatchLimits } from '../openai/batch-limits.ts';
import { type BatchRunner, createBatchRunner } from '../openai/batch-runner.ts';
import { type FileApp, fileApp } from './file-app.ts';
import { uploaded } from './openai-files.ts';

export const CHAT = '/v1/chat/completions';

/** A batch, as far as tests read it. */
export interface BatchReply {
  readonly id: string;
  readonly status: string;
  readonly errors: { readonly data: readonly BatchErrorReply[] } | null;
  readonly output_file_id: string | null;
  readonly error_file_id: string | null;
  readonly request_counts: { readonly total: number; readonly completed: number; readonly failed: number };
  readonly [field: string]: unknown;
}

interface BatchErrorReply {
  readonly code: string;
  readonly message: string;
  readonly param: string | null;
  readonly line: number | null;
}

/** A line of an input file. */
export function requestLine(customId: string, body: object | string = {}, url = CHAT): string {
  const text = typeof body === 'string' ? body : JSON.stringify({ model: 'm', ...body });
  return `{"custom_id":${JSON.stringify(customId)},"method":"POST","url":"${url}","body":${text}}`;
}

/** `count` lines with the ids r0, r1, … */
export function requestLines(count: number): string {
  return Array.from({ length: count }, (_, n) => requestLine(`r${n}`)).join('\n');
}

/** One control plane with batches for the tests of a file. Background work runs in `settle` only. */
export function batchApp(
  limits: Partial<BatchLimits> = {},
  control: FileApp = fileApp(),
  endpoint: RequestEndpoint = CHAT,
) {
  const failures: Error[] = [];
  let runner: BatchRunner | undefined;
  const json = async <Reply>(response: Response | Promise<Response>, status = 200): Promise<Reply> => {
    const text = await (await response).text();
    expect((await response).status, text).toBe(status);
    return JSON.parse(text) as Reply;
  };
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    control.send('POST', path, body, headers);
  const createFrom = (inputFileId: string, extra: object = {}, headers: Record<string, string> = {}) =>
    post(
      '/v1/batches',
      { input_file_id: inputFileId, endpoint: CHAT, completion_window: '24h', ...extra },
      headers,
    );
  return {
    control,
    /** Errors of background work. Tests expect none. */
    failures,
    json,
    post,
    createFrom,
    /** Uploads lines and creates a batch of them. */
    async create(lines: string, extra: object = {}): Promise<BatchReply> {
      return json<BatchReply>(createFrom(await uploaded(control, lines), extra));
    },
    /** Does all background work that is there. */
    settle(): Promise<void> {
      runner ??= createBatchRunner({
        store: control.db.store,
        limits,
        onError: (error) => failures.push(error),
      });
      return runner.settle();
    },
    read: (id: string) => json<BatchReply>(control.send('GET', `/v1/batches/${id}`)),
    cancel: (id: string) => json<BatchReply>(post(`/v1/batches/${id}/cancel`, {})),
    /** The lines of a file; none when it does not exist. */
    async lines(fileId: string | null): Promise<string[]> {
      if (fileId === null) return [];
      const response = await control.send('GET', `/v1/files/${fileId}/content`);
      expect(response.status).toBe(200);
      const text = await response.text();
      expect(text.endsWith('\n')).toBe(true);
      return text.slice(0, -1).split('\n');
    },
    lease: (model = 'm') => leaseRequests(control.db.store, endpoint, model),
    /** Runs all pending requests of a model. `answer` gives the output or the error of each. */
    run: (answer: Answer, model = 'm') => runRequests(control.db.store, endpoint, answer, model),
  };
}

type Answer = (
  customId: string,
  payload: string,
) =>
  | { readonly output: string; readonly usage?: object; readonly requestId?: string }
  | { readonly error: string };

async function runRequests(
  store: Store,
  endpoint: RequestEndpoint,
  answer: Answer,
  model: string,
): Promise<number> {
  let items = 0;
  for (;;) {
    const tasks = await leaseRequests(store, endpoint, model);
    if (tasks.length === 0) return items;
    for (const task of tasks) {
      const outcomes = task.items.map(({ itemId, payload }): Outcome => {
        const said = answer(itemId, payload);
        return {
          itemId,
          output: 'output' in said ? said.output : null,
          error: 'error' in said ? said.error : null,
          model: { name: model, digest: null },
          usage: 'usage' in said && said.usage !== undefined ? JSON.stringify(said.usage) : null,
          requestId: 'requestId' in said ? (said.requestId ?? null) : null,
        };
      });
      items += outcomes.length;
      const entry = { taskId: task.taskId, attempt: task.attempt, outcomes, final: true, error: null };
      const [verdict] = await store.report('ann', [entry]);
      expect(verdict).toMatchObject({ outcome: 'accepted' });
    }
  }
}

/** Leases requests to an endpoint as ann. */
async function leaseRequests(
  store: Store,
  endpoint: RequestEndpoint,
  model = 'm',
  limit = 10,
): Promise<readonly LeasedTask[]> {
  const { tasks } = await store.lease({
    worker: 'ann',
    boot: 'boot',
    limit,
    offers: [{ jobType: `request:${endpoint}`, model }],
    renews: false,
  });
  return tasks;
}

/** A line of an output or error file. */
export interface OutcomeLine {
  readonly id: string;
  readonly custom_id: string;
  readonly response: {
    readonly status_code: number;
    readonly request_id: string;
    readonly body: unknown;
  } | null;
  readonly error: { readonly code: string; readonly message: string } | null;
}

export function parsedLines(texts: readonly string[]): OutcomeLine[] {
  return texts.map((text) => JSON.parse(text) as OutcomeLine);
}
