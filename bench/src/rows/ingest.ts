import { startControlPlane } from '../load/control-plane.ts';
import { sendItems } from '../load/send-items.ts';
import { median, medianRatio } from '../median.ts';
import { enqueueGraphile } from '../peers/graphile.ts';
import { type Bench, figure, type Row } from '../row.ts';
import { compareWithOneBody, type Transfer } from '../transfer.ts';

/** Measures a large submission over HTTP, as streamed NDJSON and as one JSON body. */
export const ingest: Row = {
  name: 'ingest',
  title: 'Ingest over HTTP (200 B items, shards of 100)',
  async measure(bench) {
    const items = bench.quick ? 10_000 : 1_000_000;
    const jobs = bench.quick ? 5000 : 60_000;
    const streamed: Transfer[] = [];
    const whole: Transfer[] = [];
    const graphile: number[] = [];
    for (let round = 1; round <= Math.min(bench.rounds, 3); round += 1) {
      streamed.push(await submit(bench, items, 'ndjson'));
      whole.push(await submit(bench, items, 'json'));
      await using database = await bench.server.database('empty');
      graphile.push(jobs / (await enqueueGraphile(database.url, jobs)));
      bench.progress(`round ${round}: ${Math.round(streamed.at(-1)?.rate ?? 0)} items/s as NDJSON`);
    }
    const lines = compareWithOneBody(`${items.toLocaleString('en')} items`, streamed, whole, {
      rate: { floor: 1.5, goal: 2 },
      peak: { floor: 0.3, goal: 0.2 },
    });
    const rates = streamed.map(({ rate }) => rate);
    return [
      ...lines,
      figure({
        what: `NDJSON, ${items.toLocaleString('en')} items`,
        value: median(rates),
        unit: 'items/s',
        to: 'graphile addJobs',
        ratio: medianRatio(rates, graphile),
        floor: 5,
        goal: 8,
      }),
    ];
  },
};

async function submit(bench: Bench, items: number, form: 'ndjson' | 'json'): Promise<Transfer> {
  await using database = await bench.server.database('product');
  await using control = await startControlPlane(database.url);
  const started = performance.now();
  await sendItems(control.url, items, form);
  const rate = items / ((performance.now() - started) / 1000);
  return { rate, peakMb: (await control.usage()).peakMb };
}
