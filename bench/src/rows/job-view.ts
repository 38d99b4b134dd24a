import { finishedJob } from '../finished-job.ts';
import { startControlPlane } from '../load/control-plane.ts';
import { percentile } from '../median.ts';
import { type Bench, figure, type Line, type Row } from '../row.ts';

/** Measures how long it takes to read a large job. */
export const jobView: Row = {
  name: 'job-view',
  title: 'GET /v1/jobs/{id}',
  async measure(bench) {
    const items = bench.quick ? 10_000 : 1_000_000;
    const name = items.toLocaleString('en');
    return [
      ...(await measureViews(bench, `${name} items, all done`, { items, shardSize: 100, failedEvery: 0 })),
      ...(await measureViews(bench, `${name} items, half failed`, { items, shardSize: 100, failedEvery: 2 })),
      ...(await measureViews(bench, `${name} one-item tasks, a tenth failed`, {
        items,
        shardSize: 1,
        failedEvery: 10,
      })),
    ];
  },
};

async function measureViews(
  bench: Bench,
  what: string,
  shape: Parameters<typeof finishedJob>[1],
): Promise<Line[]> {
  await using database = await bench.server.database('product');
  bench.progress(`writing ${what}`);
  const job = await finishedJob(database.sql, shape);
  await using control = await startControlPlane(database.url);
  const times: number[] = [];
  for (let n = 0; n < (bench.quick ? 60 : 320); n += 1) {
    const started = performance.now();
    const response = await fetch(`${control.url}/v1/jobs/${job}`);
    if (!response.ok) throw new Error(`GET /v1/jobs/{id} answered ${response.status}`);
    await response.arrayBuffer();
    if (n >= 20) times.push(performance.now() - started); // the first requests connect and prepare statements
  }
  return [
    figure({
      what: `${what}: p50`,
      value: percentile(times, 0.5),
      unit: 'ms',
      floor: 10,
      goal: 10,
      better: 'less',
    }),
    figure({ what: `${what}: p99`, value: percentile(times, 0.99), unit: 'ms', better: 'less' }),
  ];
}
