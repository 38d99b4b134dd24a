import { setTimeout } from 'node:timers/promises';
import { createStore } from '@macbatch/store';
import { openTab, type Tab } from '../load/open-tab.ts';
import { runPacedPool } from '../load/paced-pool.ts';
import { startWholeControlPlane } from '../load/whole-control-plane.ts';
import { median } from '../median.ts';
import { submitNoops } from '../product-load.ts';
import { figure, type Row } from '../row.ts';

const TABS = 50;
/** Tasks have 50 items: ten workers that end a task each second end 500 items/s together. */
const POOL = { workers: 10, taskMs: 1000 } as const;
const SHARD_SIZE = 50;

/** Measures what open tabs cost the control plane while a pool works on a large job. */
export const pageTabs: Row = {
  name: 'page-tabs',
  title: `${TABS} tabs that show a job at work, ${POOL.workers} workers, ${(POOL.workers * SHARD_SIZE * 1000) / POOL.taskMs} items/s`,
  async measure(bench) {
    const items = bench.quick ? 20_000 : 1_000_000;
    const seconds = bench.quick ? 3 : 20;
    await using database = await bench.server.database('product');
    const store = createStore({ url: database.url });
    const job = await submitNoops(store, items, SHARD_SIZE);
    await store.close();
    await using control = await startWholeControlPlane(database.url);
    const pool = runPacedPool(control.url, POOL);
    const paths = [`/jobs/${job}`, '/', `/jobs/${job}/items`, '/macs'];
    await (await fetch(control.url)).arrayBuffer(); // loads the pages
    const without: number[] = [];
    const added: number[] = [];
    let fetched = 0;
    for (let round = 0; round < bench.rounds; round += 1) {
      const alone = await percentOfCore(control, seconds);
      const tabs: Tab[] = [];
      for (let n = 0; n < TABS; n += 1) tabs.push(await openTab(control.url, paths[n % paths.length] ?? '/'));
      await setTimeout(2000); // until the first updates are over
      const before = total(tabs);
      const shown = await percentOfCore(control, seconds);
      fetched = total(tabs) - before;
      for (const tab of tabs) tab.close();
      without.push(alone);
      added.push(shown - alone);
      bench.progress(`round ${round + 1}: ${alone.toFixed(1)} % alone, ${shown.toFixed(1)} % with tabs`);
      await setTimeout(1000);
    }
    const name = items.toLocaleString('en');
    await pool.stop();
    return [
      figure({
        what: `CPU that ${TABS} tabs add, job of ${name} items`,
        value: median(added),
        unit: '% of a core',
        floor: 5,
        goal: 5,
        better: 'less',
      }),
      figure({ what: 'CPU without tabs', value: median(without), unit: '% of a core', better: 'less' }),
      figure({ what: 'updates of pages', value: fetched / seconds, unit: 'per second' }),
    ];
  },
};

const total = (tabs: readonly Tab[]) => tabs.reduce((sum, tab) => sum + tab.fetched(), 0);

async function percentOfCore(control: { cpuSeconds(): Promise<number> }, seconds: number): Promise<number> {
  const startedAt = performance.now();
  const before = await control.cpuSeconds();
  await setTimeout(seconds * 1000);
  const after = await control.cpuSeconds();
  return (100 * (after - before)) / ((performance.now() - startedAt) / 1000);
}
