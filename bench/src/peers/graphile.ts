import { Logger, makeWorkerUtils, run } from 'graphile-worker';
import { PAYLOAD } from '../product-load.ts';

const quiet = new Logger(() => () => undefined);
const CHUNK = 5000;

/** Puts `count` jobs into the queue by addJobs; returns the seconds that took. */
export async function enqueueGraphile(url: string, count: number): Promise<number> {
  const utils = await makeWorkerUtils({ connectionString: url, logger: quiet });
  try {
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
    return (performance.now() - started) / 1000;
  } finally {
    await utils.release();
  }
}

/**
 * Works off the jobs with the fastest setting that its documentation names: 24 at once, a local queue of
 * 500, completions in batches without delay. Returns jobs a second from the first job to the last.
 */
export async function drainGraphile(url: string, count: number): Promise<number> {
  let ran = 0;
  let first = 0;
  let last = 0;
  const all = Promise.withResolvers<void>();
  const runner = await run({
    connectionString: url,
    logger: quiet,
    noHandleSignals: true,
    preset: {
      worker: {
        concurrentJobs: 24,
        maxPoolSize: 26,
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
}

/** Milliseconds from each enqueue to the start of its job, by the default settings, while idle. */
export async function graphileLatencies(url: string, samples: number, pauseMs: number): Promise<number[]> {
  const utils = await makeWorkerUtils({ connectionString: url, logger: quiet });
  await utils.migrate();
  let started = Promise.withResolvers<number>();
  const runner = await run({
    connectionString: url,
    logger: quiet,
    noHandleSignals: true,
    taskList: { noop: () => started.resolve(performance.now()) },
  });
  try {
    const latencies: number[] = [];
    for (let n = 0; n < samples; n += 1) {
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
      started = Promise.withResolvers();
      const asked = performance.now();
      await utils.addJob('noop', {});
      latencies.push((await started.promise) - asked);
    }
    return latencies;
  } finally {
    await runner.stop();
    await utils.release();
  }
}
