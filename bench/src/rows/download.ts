import { get } from 'node:http';
import { finishedJob } from '../finished-job.ts';
import { startControlPlane } from '../load/control-plane.ts';
import { median, medianRatio } from '../median.ts';
import { figure, type Row } from '../row.ts';

interface Download {
  readonly rate: number;
  readonly peakMb: number;
}

/** All outcomes of a large job over HTTP. */
export const download: Row = {
  name: 'download',
  title: 'Download of all results over HTTP',
  async measure(bench) {
    const items = bench.quick ? 10_000 : 1_000_000;
    await using database = await bench.server.database('product');
    bench.progress(`writing ${items} results`);
    const job = await finishedJob(database.sql, { items, shardSize: 100, failedEvery: 0 });
    const paged: Download[] = [];
    const whole: Download[] = [];
    const from = async (program: 'serve.ts' | 'whole-body.ts', path: string): Promise<Download> => {
      await using control = await startControlPlane(database.url, program);
      const started = performance.now();
      await readToEnd(`${control.url}${path}`);
      const rate = items / ((performance.now() - started) / 1000);
      return { rate, peakMb: (await control.usage()).peakMb };
    };
    for (let round = 1; round <= Math.min(bench.rounds, 3); round += 1) {
      paged.push(await from('serve.ts', `/v1/jobs/${job}/results`));
      whole.push(await from('whole-body.ts', '/'));
      bench.progress(`round ${round}: ${Math.round(paged.at(-1)?.rate ?? 0)} items/s`);
    }
    const rates = paged.map(({ rate }) => rate);
    const peaks = paged.map(({ peakMb }) => peakMb);
    return [
      figure({
        what: `NDJSON, ${items.toLocaleString('en')} results`,
        value: median(rates),
        unit: 'items/s',
        to: 'one JSON body',
        ratio: medianRatio(
          rates,
          whole.map((each) => each.rate),
        ),
        floor: 1,
        goal: 1.3,
      }),
      figure({
        what: 'NDJSON: peak memory of the server',
        value: median(peaks),
        unit: 'MB',
        to: 'one JSON body',
        ratio: medianRatio(
          peaks,
          whole.map((each) => each.peakMb),
        ),
        floor: 0.4,
        goal: 0.3,
        better: 'less',
      }),
    ];
  },
};

function readToEnd(url: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const asked = get(url, (response) => {
      if (response.statusCode !== 200) reject(new Error(`${url} answered ${response.statusCode}`));
      response.on('error', reject);
      response.on('end', resolve);
      response.resume();
    });
    asked.on('error', reject);
  });
}
