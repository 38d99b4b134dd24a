import type { MiddlewareHandler } from 'hono';
import { routePath } from 'hono/route';
import { Histogram, type Registry } from 'prom-client';

/** The route pattern of the middleware itself. A request with only this pattern has no route. */
const NO_ROUTE = '/*';
const METHODS = ['GET', 'POST'];
/** Histogram buckets in seconds, up to the longest wait of a lease request. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Counts requests by the pattern of their route, never by their path. */
export function requestMetrics(registry: Registry, monotonicMs: () => number): MiddlewareHandler {
  const durations = new Histogram({
    name: 'macbatch_http_request_duration_seconds',
    help: 'Seconds from the headers of a request to the headers of its reply, by route and status class',
    labelNames: ['method', 'route', 'status'],
    buckets: BUCKETS,
    registers: [registry],
  });
  return async (c, next) => {
    const startedMs = monotonicMs();
    await next();
    const route = routePath(c, -1);
    durations.observe(
      {
        method: METHODS.includes(c.req.method) ? c.req.method : 'other',
        route: route === NO_ROUTE ? 'none' : route,
        status: `${Math.floor(c.res.status / 100)}xx`,
      },
      (monotonicMs() - startedMs) / 1000,
    );
  };
}
