import { API_VERSION, API_VERSION_HEADER, openApiDocument, routes } from '@macbatch/contract';
import type { Quota, Store } from '@macbatch/store';
import { Hono } from 'hono';
import { secureHeaders } from 'hono/secure-headers';
import { type PrometheusContentType, Registry } from 'prom-client';
import { Authenticator } from './auth/authenticator.ts';
import { mountKeys } from './auth/key-handlers.ts';
import type { RequestLimits } from './auth/request-limits.ts';
import { mountJobs } from './jobs/job-handlers.ts';
import { mountOperations, OPERATION_PATHS } from './operations/operation-handlers.ts';
import { PoolMetrics } from './operations/pool-metrics.ts';
import { requestMetrics } from './operations/request-metrics.ts';
import type { Surface } from './requests/mount.ts';
import { isDiskFull, isOutage } from './requests/outage.ts';
import { problemResponse, RefusedRequest } from './requests/refused-request.ts';
import type { BodyLimits } from './requests/request-body.ts';
import { mountTasks } from './tasks/task-handlers.ts';
import { mountWorkers } from './workers/worker-handlers.ts';

export interface AppOptions {
  readonly store: Store;
  readonly limits?: Partial<BodyLimits & RequestLimits>;
  /** Limits on the unfinished jobs of one group; null for no limit. */
  readonly quota?: Quota | null;
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
  /** Ends requests that wait for work when the server stops. */
  readonly stopping?: AbortSignal;
  /** A monotonic clock in milliseconds, for the waiting time of lease requests. */
  readonly monotonicMs?: () => number;
}

const DEFAULT_LIMITS: BodyLimits & RequestLimits = {
  maxJsonBytes: 64 * 1024 * 1024,
  maxLineBytes: 16 * 1024 * 1024,
  bodyIdleMs: 30_000,
  bodyTotalMs: 60 * 60_000,
  requestsPerSecond: 100,
  streams: 32,
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
  });
  mountJobs(surface, {
    quota: options.quota === undefined ? DEFAULT_QUOTA : options.quota,
    hasRoom: options.hasRoom ?? (() => Promise.resolve(true)),
  });
  mountTasks(surface, { monotonicMs, stopping: options.stopping });
  mountWorkers(surface);
  mountKeys(surface);
  mountOperations(surface, new PoolMetrics(registry), monotonicMs);

  const document = JSON.stringify(openApiDocument());
  app.get('/openapi.json', (c) => c.body(document, 200, { 'content-type': 'application/json' }));

  app.notFound((c) => {
    const allowed = methodsOf(c.req.path);
    if (allowed.length === 0)
      return problemResponse(new RefusedRequest('route_not_found', `The path ${c.req.path} does not exist.`));
    const response = problemResponse(
      new RefusedRequest(
        'method_not_allowed',
        `${c.req.path} supports ${allowed.join(' and ')}, not ${c.req.method}.`,
      ),
    );
    response.headers.set('allow', allowed.join(', '));
    return response;
  });

  app.onError((error, c) => {
    if (error instanceof RefusedRequest) return problemResponse(error);
    options.onError?.(error, { method: c.req.method, path: c.req.path });
    return problemResponse(failure(error));
  });
  return app;
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
  return Object.values(routes)
    .filter((route) => new RegExp(`^${route.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path))
    .map((route) => route.method.toUpperCase());
}
