import {
  API_VERSION,
  API_VERSION_HEADER,
  anthropicRoutes,
  openAiRoutes,
  openApiDocument,
  routes,
} from '@macbatch/contract';
import type { Quota, Store } from '@macbatch/store';
import { Hono } from 'hono';
import { secureHeaders } from 'hono/secure-headers';
import { type PrometheusContentType, Registry } from 'prom-client';
import { isAnthropicPath } from './anthropic/anthropic-paths.ts';
import {
  AnthropicRefusal,
  anthropicErrorResponse,
  newRequestId,
  REQUEST_ID_HEADER,
} from './anthropic/anthropic-refusal.ts';
import { mountDirectMessages } from './anthropic/direct-messages.ts';
import { mountMessageBatches } from './anthropic/message-batch-handlers.ts';
import type { MessageBatchLimits } from './anthropic/receive-requests.ts';
import { Authenticator } from './auth/authenticator.ts';
import { mountKeys } from './auth/key-handlers.ts';
import type { RequestLimits } from './auth/request-limits.ts';
import { mountJobs } from './jobs/job-handlers.ts';
import { mountBatches } from './openai/batch-handlers.ts';
import { mountDirectCalls } from './openai/direct-calls.ts';
import { mountFiles } from './openai/file-handlers.ts';
import type { FileLimits } from './openai/file-upload.ts';
import { mountModels } from './openai/model-handlers.ts';
import { isOpenAiPath } from './openai/openai-paths.ts';
import { OpenAiRefusal, openAiErrorResponse } from './openai/openai-refusal.ts';
import { mountEvents } from './operations/event-handlers.ts';
import { mountOperations, OPERATION_PATHS } from './operations/operation-handlers.ts';
import { PoolMetrics } from './operations/pool-metrics.ts';
import { requestMetrics } from './operations/request-metrics.ts';
import { mountThroughput } from './operations/throughput-handlers.ts';
import type { Surface } from './requests/mount.ts';
import { isDiskFull, isOutage } from './requests/outage.ts';
import { problemResponse, RefusedRequest } from './requests/refused-request.ts';
import type { BodyLimits } from './requests/request-body.ts';
import { requestOrigin } from './requests/request-origin.ts';
import { mountStream } from './stream/stream-handlers.ts';
import { mountTasks } from './tasks/task-handlers.ts';
import { mountPauses } from './workers/pause-handlers.ts';
import { mountWorkers } from './workers/worker-handlers.ts';

type AppLimits = BodyLimits & RequestLimits & FileLimits & MessageBatchLimits;

export interface AppOptions {
  readonly store: Store;
  readonly limits?: Partial<AppLimits>;
  /** Limits on the unfinished jobs of one group; null for no limit. */
  readonly quota?: Quota | null;
  /** Requests of message batches take the outcomes of equal requests in earlier jobs. False by default. */
  readonly reuseInBatches?: boolean;
  /**
   * Lets every request in while no key exists. Only safe if no other machine can reach the control plane. False by
   * default.
   */
  readonly open?: boolean;
  /**
   * Every request comes through a proxy that appends the client's address to `X-Forwarded-For`. False
   * by default, because any client can send that header.
   */
  readonly trustProxy?: boolean;
  /** Whether the database's disk has free space. Called repeatedly during a submission. */
  readonly hasRoom?: () => Promise<boolean>;
  /** Receives every error that is not a refused request. Its message never reaches the client. */
  readonly onError?: (error: Error, request: { readonly method: string; readonly path: string }) => void;
  /** Called when a batch needs background work: see `createBatchRunner`. */
  readonly onBatchWork?: () => void;
  /** Ends requests that wait for work when the server stops. */
  readonly stopping?: AbortSignal;
  /** A monotonic clock in milliseconds, for the waiting time of lease requests. */
  readonly monotonicMs?: () => number;
}

const DEFAULT_LIMITS: AppLimits = {
  maxJsonBytes: 64 * 1024 * 1024,
  maxLineBytes: 16 * 1024 * 1024,
  bodyIdleMs: 30_000,
  bodyTotalMs: 60 * 60_000,
  requestsPerSecond: 100,
  streams: 32,
  maxFileBytes: 200 * 1024 * 1024,
  maxFileLineBytes: 64 * 1024 * 1024,
  fileQuotaBytes: 100 * 1024 ** 3,
  fileExpirySeconds: 30 * 24 * 60 * 60,
  maxMessageRequests: 100_000,
  maxMessageBatchBytes: 256 * 1024 * 1024,
};
const DEFAULT_QUOTA: Quota = { items: 20_000_000, payloadBytes: 50 * 1024 ** 3 };

/** Creates the control plane: a function from request to response over a store. */
export function createApp(options: AppOptions): Hono {
  const { store } = options;
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const monotonicMs = options.monotonicMs ?? (() => performance.now());
  const app = new Hono();
  const authenticator = new Authenticator({
    store,
    open: options.open ?? false,
    trustProxy: options.trustProxy ?? false,
    limits,
    monotonicMs,
  });
  const surface: Surface = { app, store, authenticator, limits };

  const registry = new Registry<PrometheusContentType>();
  app.use(requestMetrics(registry, monotonicMs));
  // Protects browsers: the API serves no pages, and other sites may not read its replies.
  app.use(
    secureHeaders({
      contentSecurityPolicy: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
      xFrameOptions: 'DENY',
      referrerPolicy: 'no-referrer',
    }),
  );
  app.use(async (c, next) => {
    await next();
    c.header('cache-control', 'no-store');
    c.header(API_VERSION_HEADER, String(API_VERSION));
    // OpenAI's client libraries show it as the id of the request.
    if (isOpenAiPath(c.req.path)) c.header('x-request-id', newRequestId());
    // An error has its id already.
    if (isAnthropicPath(c.req.path) && !c.res.headers.has(REQUEST_ID_HEADER))
      c.header(REQUEST_ID_HEADER, newRequestId());
  });
  const hasRoom = options.hasRoom ?? (() => Promise.resolve(true));
  const quota = options.quota === undefined ? DEFAULT_QUOTA : options.quota;
  const onBatchWork = options.onBatchWork ?? (() => undefined);
  mountJobs(surface, { quota, hasRoom });
  mountTasks(surface, { monotonicMs, stopping: options.stopping });
  mountWorkers(surface);
  mountPauses(surface);
  mountStream(surface, {
    stopping: options.stopping,
    onError: (error) => {
      if (!isOutage(error))
        options.onError?.(asError(error), { method: 'GET', path: routes.streamChanges.path });
    },
  });
  mountEvents(surface);
  mountThroughput(surface);
  mountKeys(surface);
  mountFiles(surface, { limits, hasRoom });
  mountBatches(surface, onBatchWork);
  mountModels(surface);
  mountDirectCalls(surface);
  mountMessageBatches(surface, {
    limits,
    quota,
    reuse: options.reuseInBatches ?? false,
    hasRoom,
    originOf: (c) => requestOrigin(c, options.trustProxy ?? false),
    onBatchWork,
  });
  mountDirectMessages(surface);
  mountOperations(surface, new PoolMetrics(registry), monotonicMs);

  const document = JSON.stringify(openApiDocument());
  app.get('/openapi.json', (c) => c.body(document, 200, { 'content-type': 'application/json' }));

  /** Client libraries of OpenAI and Anthropic expect other error replies than RFC 9457. */
  const refuse = (path: string, refusal: RefusedRequest): Response => {
    if (isAnthropicPath(path)) return anthropicErrorResponse(refusal);
    return isOpenAiPath(path) ? openAiErrorResponse(refusal) : problemResponse(refusal);
  };

  app.notFound((c) => {
    const { path, method } = c.req;
    const allowed = methodsOf(path);
    if (allowed.length === 0)
      return refuse(path, new RefusedRequest('route_not_found', `The path ${path} does not exist.`));
    const response = refuse(
      path,
      new RefusedRequest('method_not_allowed', `${path} supports ${allowed.join(' and ')}, not ${method}.`),
    );
    response.headers.set('allow', allowed.join(', '));
    return response;
  });

  app.onError((error, c) => {
    const { path, method } = c.req;
    if (error instanceof AnthropicRefusal) return anthropicErrorResponse(error);
    // Anthropic's routes share code with those of OpenAI.
    if (error instanceof OpenAiRefusal)
      return isAnthropicPath(path) ? anthropicErrorResponse(error) : openAiErrorResponse(error);
    if (error instanceof RefusedRequest) return refuse(path, error);
    options.onError?.(error, { method, path });
    return refuse(path, failure(error));
  });
  return app;
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

function failure(error: Error): RefusedRequest {
  if (isOutage(error))
    return new RefusedRequest('database_unavailable', 'The database does not answer. Try again in a moment.');
  if (isDiskFull(error)) {
    return new RefusedRequest(
      'database_full',
      'The disk of the database is full. The request was not stored. Free some disk space, then send it again.',
    );
  }
  return new RefusedRequest(
    'internal',
    'An internal error occurred. The log of the control plane has the details.',
  );
}

/** Paths outside the contract. */
const PLAIN_PATHS = ['/openapi.json', ...OPERATION_PATHS];

function methodsOf(path: string): string[] {
  if (PLAIN_PATHS.includes(path)) return ['GET'];
  return Object.values({ ...routes, ...openAiRoutes, ...anthropicRoutes })
    .filter((route) => new RegExp(`^${route.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path))
    .map((route) => route.method.toUpperCase());
}
