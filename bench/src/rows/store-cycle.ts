import { contest, type Sample, withCpu } from '../contest.ts';
import { graphile, pgBoss } from '../peers/cycle.ts';
import { openProduct } from '../product-database.ts';
import { drain, submitNoops } from '../product-load.ts';
import { type Bench, figure, type Line, type Row } from '../row.ts';

/** Compares claims and completions through the store, without HTTP, with the peers. */
export const storeCycle: Row = {
  name: 'store-cycle',
  title: 'Store: claim + complete of one-item tasks (200 B), no HTTP',
  async measure(bench) {
    const many = bench.quick ? 4000 : 60_000;
    const few = bench.quick ? 2000 : 20_000;
    const standing = await contest(bench, {
      'ours 10': () => ours(bench, few, 10, 4),
      'pg-boss 10': () => pgBoss(bench, few, 10),
      'ours 100': () => ours(bench, many, 100, 4),
      graphile: () => graphile(bench, many),
      'pg-boss 100': () => pgBoss(bench, many, 100),
      'ours 500': () => ours(bench, many, 500, 2),
    });
    const line = (batch: number, to: string, floor: number, goal: number): Line =>
      figure({
        what: `store, ${batch} a batch`,
        value: standing.value(`ours ${batch}`),
        unit: 'tasks/s',
        to,
        ratio: standing.ratio(`ours ${batch}`, to),
        floor,
        goal,
      });
    const peer = (name: string) => figure({ what: name, value: standing.value(name), unit: 'jobs/s' });
    return [
      line(10, 'pg-boss 10', 1.2, 1.5),
      line(100, 'pg-boss 100', 1.4, 1.65),
      line(100, 'graphile', 0.85, 1),
      figure({
        what: 'store, 100 a batch: CPU',
        value: standing.cpu('ours 100'),
        unit: 'CPU-s/100k',
        to: 'graphile',
        ratio: standing.cpuRatio('ours 100', 'graphile'),
        floor: 1.15,
        goal: 0.95,
        better: 'less',
      }),
      line(500, 'graphile', 1, 1.15),
      peer('graphile'),
      peer('pg-boss 10'),
      peer('pg-boss 100'),
    ];
  },
};

async function ours(bench: Bench, tasks: number, batch: number, loops: number): Promise<Sample> {
  await using product = await openProduct(bench);
  const { store } = product;
  // Warms up: the peers have connected and run before they are timed, too.
  await submitNoops(store, loops * batch * 2);
  await drain(store, batch, loops);
  await submitNoops(store, tasks);
  return await withCpu(bench, tasks, async () => {
    const startedAt = performance.now();
    const done = await drain(store, batch, loops);
    if (done !== tasks) throw new Error(`${done} of ${tasks} tasks were done`);
    return tasks / ((performance.now() - startedAt) / 1000);
  });
}
