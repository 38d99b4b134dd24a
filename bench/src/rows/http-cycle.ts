import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { contest, type Sample } from '../contest.ts';
import { startControlPlane } from '../load/control-plane.ts';
import { nextMessage } from '../next-message.ts';
import { graphile, pgBoss } from '../peers/cycle.ts';
import { openProduct } from '../product-database.ts';
import { submitNoops } from '../product-load.ts';
import { type Bench, figure, type Line, type Row } from '../row.ts';

/** Compares leases and completions over HTTP, with server and load generator in other processes, with the peers. */
export const httpCycle: Row = {
  name: 'http-cycle',
  title: 'HTTP: lease + complete of one-item tasks (200 B), against peers without HTTP',
  async measure(bench) {
    const many = bench.quick ? 4000 : 60_000;
    const few = bench.quick ? 2000 : 20_000;
    const standing = await contest(bench, {
      'http 10': () => overHttp(bench, few, 10, 8),
      'pg-boss 10': () => pgBoss(bench, few, 10),
      'http 100': () => overHttp(bench, many, 100, 4),
      graphile: () => graphile(bench, many),
      'pg-boss 100': () => pgBoss(bench, many, 100),
      'http 500': () => overHttp(bench, many, 500, 4),
    });
    const line = (batch: number, to: string, floor: number, goal: number): Line =>
      figure({
        what: `HTTP, ${batch} a lease`,
        value: standing.value(`http ${batch}`),
        unit: 'tasks/s',
        to,
        ratio: standing.ratio(`http ${batch}`, to),
        floor,
        goal,
      });
    return [
      line(10, 'pg-boss 10', 0.75, 0.95),
      line(100, 'pg-boss 100', 1, 1.3),
      line(100, 'graphile', 0.6, 0.75),
      line(500, 'graphile', 0.8, 1),
    ];
  },
};

async function overHttp(bench: Bench, tasks: number, batch: number, workers: number): Promise<Sample> {
  await using product = await openProduct(bench);
  await using control = await startControlPlane(product.url);
  const run = async (count: number): Promise<number> => {
    await submitNoops(product.store, count);
    const program = fileURLToPath(new URL('../load/drain-http.ts', import.meta.url));
    const generator = fork(program, [control.url, String(batch), String(workers)]);
    const { tasks: done, seconds } = await nextMessage<{ tasks: number; seconds: number }>(generator);
    if (done !== count) throw new Error(`${done} of ${count} tasks were done`);
    return count / seconds;
  };
  // Warms up the new processes: the peers run in this process, which has run them before.
  await run(Math.max(tasks / 4, workers * batch));
  return { rate: await run(tasks), cpu: null };
}
