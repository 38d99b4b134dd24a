import { type Sample, withCpu } from '../contest.ts';
import type { Bench } from '../row.ts';
import { drainGraphile, enqueueGraphile } from './graphile.ts';
import { drainPgBoss, enqueuePgBoss } from './pg-boss.ts';

/** graphile-worker's fastest documented setting on a database of its own. */
export async function graphile(bench: Bench, jobs: number): Promise<Sample> {
  await using database = await bench.server.database('empty');
  await enqueueGraphile(database.url, jobs);
  return await withCpu(bench, jobs, () => drainGraphile(database.url, jobs));
}

/** pg-boss, fetch and complete, on a database of its own. */
export async function pgBoss(bench: Bench, jobs: number, batch: number): Promise<Sample> {
  await using database = await bench.server.database('empty');
  await enqueuePgBoss(database.url, jobs);
  return await withCpu(bench, jobs, () => drainPgBoss(database.url, jobs, batch));
}
