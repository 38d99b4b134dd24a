import { finishedJob } from '../finished-job.ts';
import { startControlPlane } from '../load/control-plane.ts';
import { readToEnd } from '../load/read-to-end.ts';
import type { Row } from '../row.ts';
import { compareWithOneBody, type Transfer } from '../transfer.ts';

/** Measures the download of all outcomes of a large job over HTTP. */
export const download: Row = {
  name: 'download',
  title: 'Download of all results over HTTP',
  async measure(bench) {
    const items = bench.quick ? 10_000 : 1_000_000;
    await using database = await bench.server.database('product');
    bench.progress(`writing ${items} results`);
    const job = await finishedJob(database.sql, { items, shardSize: 100, failedEvery: 0 });
    const streamed: Transfer[] = [];
    const whole: Transfer[] = [];
    const transfer = async (program: 'serve.ts' | 'whole-body.ts', path: string): Promise<Transfer> => {
      await using control = await startControlPlane(database.url, program);
      const started = performance.now();
      await readToEnd(`${control.url}${path}`);
      const rate = items / ((performance.now() - started) / 1000);
      return { rate, peakMb: (await control.usage()).peakMb };
    };
    for (let round = 1; round <= Math.min(bench.rounds, 3); round += 1) {
      streamed.push(await transfer('serve.ts', `/v1/jobs/${job}/results`));
      whole.push(await transfer('whole-body.ts', '/'));
      bench.progress(`round ${round}: ${Math.round(streamed.at(-1)?.rate ?? 0)} items/s`);
    }
    return compareWithOneBody(`${items.toLocaleString('en')} results`, streamed, whole, {
      rate: { floor: 1, goal: 1.3 },
      peak: { floor: 0.4, goal: 0.3 },
    });
  },
};
