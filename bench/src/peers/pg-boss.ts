import { PgBoss } from 'pg-boss';
import { PAYLOAD } from '../product-load.ts';

const QUEUE = 'noop';
const CHUNK = 5000;

async function withPgBoss<Result>(url: string, work: (boss: PgBoss) => Promise<Result>): Promise<Result> {
  const boss = new PgBoss({ connectionString: url, supervise: false, schedule: false });
  boss.on('error', () => undefined);
  await boss.start();
  try {
    return await work(boss);
  } finally {
    await boss.stop({ graceful: false });
  }
}

/** Enqueues `count` jobs with insert. Returns the seconds that this took. */
export function enqueuePgBoss(url: string, count: number): Promise<number> {
  return withPgBoss(url, async (boss) => {
    await boss.createQueue(QUEUE);
    const data = JSON.parse(PAYLOAD) as object;
    const started = performance.now();
    for (let from = 0; from < count; from += CHUNK) {
      await boss.insert(
        QUEUE,
        Array.from({ length: Math.min(CHUNK, count - from) }, () => ({ data })),
      );
    }
    return (performance.now() - started) / 1000;
  });
}

/** Fetches and completes `batch` jobs at a time in four loops. Returns jobs per second. */
export function drainPgBoss(url: string, count: number, batch: number): Promise<number> {
  return withPgBoss(url, async (boss) => {
    const loop = async () => {
      for (;;) {
        const jobs = await boss.fetch(QUEUE, { batchSize: batch });
        if (jobs.length === 0) return;
        await boss.complete(
          QUEUE,
          jobs.map((job) => job.id),
        );
      }
    };
    const started = performance.now();
    await Promise.all(Array.from({ length: 4 }, loop));
    return count / ((performance.now() - started) / 1000);
  });
}
