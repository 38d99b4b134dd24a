import { startControlPlane } from '../load/control-plane.ts';
import { sendItems } from '../load/send-items.ts';
import { median, medianRatio } from '../median.ts';
import { enqueueGraphile } from '../peers/graphile.ts';
import { type Bench, figure, type Row } from '../row.ts';

interface Ingest {
  readonly rate: number;
  readonly peakMb: number;
}

/** A large submission over HTTP, streamed as NDJSON and as one JSON body. */
export const ingest: Row = {
  name: 'ingest',
  title: 'Ingest over HTTP (200 B items, shards of 100)',
  async measure(bench) {
    const items = bench.quick ? 10_000 : 1_000_000;
    const jobs = bench.quick ? 5000 : 60_000;
    const streamed: Ingest[] = [];
    const whole: Ingest[] = [];
    const graphile: number[] = [];
    for (let round = 1; round <= Math.min(bench.rounds, 3); round += 1) {
      streamed.push(await submitted(bench, items, 'ndjson'));
      whole.push(await submitted(bench, items, 'json'));
      await using database = await bench.server.database('empty');
      graphile.push(jobs / (await enqueueGraphile(database.url, jobs)));
      bench.progress(`round ${round}: ${Math.round(streamed.at(-1)?.rate ?? 0)} items/s as NDJSON`);
    }
    const rates = streamed.map(({ rate }) => rate);
    const peaks = streamed.map(({ peakMb }) => peakMb);
    const rate = {
      what: `NDJSON, ${items.toLocaleString('en')} items`,
      value: median(rates),
      unit: 'items/s',
    };
    return [
      figure({
        ...rate,
        to: 'one JSON body',
        ratio: medianRatio(
          rates,
          whole.map((each) => each.rate),
        ),
        floor: 1.5,
        goal: 2,
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
        floor: 0.3,
        goal: 0.2,
        better: 'less',
      }),
      figure({ ...rate, to: 'graphile addJobs', ratio: medianRatio(rates, graphile), floor: 5, goal: 8 }),
    ];
  },
};

async function submitted(bench: Bench, items: number, form: 'ndjson' | 'json'): Promise<Ingest> {
  await using database = await bench.server.database('product');
  await using control = await startControlPlane(database.url);
  const started = performance.now();
  await sendItems(control.url, items, form);
  const rate = items / ((performance.now() - started) / 1000);
  return { rate, peakMb: (await control.usage()).peakMb };
}
