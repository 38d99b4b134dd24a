import { type Sample, withCpu } from '../contest.ts';
import type { Bench } from '../row.ts';
import { enqueueGraphile, runGraphile } from './graphile.ts';
import { drainPgBoss, enqueuePgBoss } from './pg-boss.ts';

/** Measures graphile-worker with its fastest documented settings, on a new database. */
export async function graphile(bench: Bench, jobs: number): Promise<Sample> {
  await using database = await bench.server.database('empty');
  await enqueueGraphile(database.url, jobs);
  return await withCpu(bench, jobs, () => runGraphile(database.url, jobs));
}

/** Measures fetch and complete of pg-boss, on a new database. */
export async function pgBoss(bench: Bench, jobs: number, batch: number): Promise<Sample> {
  await using database = await bench.server.database('empty');
  await enqueuePgBoss(database.url, jobs);
  return await withCpu(bench, jobs, () => drainPgBoss(database.url, jobs, batch));
}
