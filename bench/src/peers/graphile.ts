import { Logger, makeWorkerUtils, run } from 'graphile-worker';
import { Pool } from 'pg';
import { PAYLOAD } from '../product-load.ts';

const quiet = new Logger(() => () => undefined);
const CHUNK = 5000;

/**
 * Runs `work` with a connection pool that ignores connection errors. A connection may still be closing when its database
 * is dropped, and an unhandled error would end this process.
 */
async function withPool<Result>(
  url: string,
  max: number,
  work: (pgPool: Pool) => Promise<Result>,
): Promise<Result> {
  const pool = new Pool({ connectionString: url, max });
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  try {
    return await work(pool);
  } finally {
    await pool.end();
  }
}

/** Enqueues `count` jobs with addJobs. Returns the elapsed seconds. */
export function enqueueGraphile(url: string, count: number): Promise<number> {
  return withPool(url, 4, async (pgPool) => {
    const utils = await makeWorkerUtils({ pgPool, logger: quiet });
    await utils.migrate();
    const payload: unknown = JSON.parse(PAYLOAD);
    const started = performance.now();
    for (let from = 0; from < count; from += CHUNK) {
      const specs = Array.from({ length: Math.min(CHUNK, count - from) }, () => ({
        identifier: 'noop',
        payload,
      }));
      await utils.addJobs(specs);
    }
    const seconds = (performance.now() - started) / 1000;
    await utils.release();
    return seconds;
  });
}

/**
 * Runs the jobs with the fastest documented settings: 24 concurrent jobs, a local queue of 500, completions in batches without
 * delay. Returns jobs per second between the first and the last job.
 */
export function runGraphile(url: string, count: number): Promise<number> {
  return withPool(url, 26, async (pgPool) => {
    let ran = 0;
    let first = 0;
    let last = 0;
    const all = Promise.withResolvers<void>();
    const runner = await run({
      pgPool,
      logger: quiet,
      noHandleSignals: true,
      preset: {
        worker: {
          concurrentJobs: 24,
          localQueue: { size: 500 },
          completeJobBatchDelay: 0,
          failJobBatchDelay: 0,
        },
      },
      taskList: {
        noop: () => {
          if (ran === 0) first = performance.now();
          ran += 1;
          if (ran === count) {
            last = performance.now();
            all.resolve();
          }
        },
      },
    });
    await all.promise;
    await runner.stop();
    return count / ((last - first) / 1000);
  });
}

/** Measures the milliseconds from each enqueue to the start of its job, with default settings and no other load. */
export function graphileLatencies(url: string, samples: number, pauseMs: number): Promise<number[]> {
  return withPool(url, 10, async (pgPool) => {
    const utils = await makeWorkerUtils({ pgPool, logger: quiet });
    await utils.migrate();
    let started = Promise.withResolvers<number>();
    const runner = await run({
      pgPool,
      logger: quiet,
      noHandleSignals: true,
      taskList: { noop: () => started.resolve(performance.now()) },
    });
    const latencies: number[] = [];
    for (let n = 0; n < samples; n += 1) {
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
      started = Promise.withResolvers();
      const asked = performance.now();
      await utils.addJob('noop', {});
      latencies.push((await started.promise) - asked);
    }
    await runner.stop();
    await utils.release();
    return latencies;
  });
}
