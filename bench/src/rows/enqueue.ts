import { createStore } from '@macbatch/store';
import { contest, type Sample, withCpu } from '../contest.ts';
import { enqueueGraphile } from '../peers/graphile.ts';
import { enqueuePgBoss } from '../peers/pg-boss.ts';
import { submitNoops } from '../product-load.ts';
import { figure, type Row } from '../row.ts';

/** Measures the submission of many one-item tasks in one call. */
export const enqueue: Row = {
  name: 'enqueue',
  title: 'Bulk enqueue of one-item tasks (200 B)',
  async measure(bench) {
    const count = bench.quick ? 5000 : 60_000;
    const run = async (
      kind: 'empty' | 'product',
      seconds: (url: string) => Promise<number>,
    ): Promise<Sample> => {
      await using database = await bench.server.database(kind);
      return await withCpu(bench, count, async () => count / (await seconds(database.url)));
    };
    const standing = await contest(bench, {
      ours: () =>
        run('product', async (url) => {
          const store = createStore({ url });
          try {
            await store.listJobs({ owner: null, limit: 1 }); // connects; the peers are connected before they are timed, too
            const started = performance.now();
            await submitNoops(store, count);
            return (performance.now() - started) / 1000;
          } finally {
            await store.close();
          }
        }),
      graphile: () => run('empty', (url) => enqueueGraphile(url, count)),
      'pg-boss': () => run('empty', (url) => enqueuePgBoss(url, count)),
    });
    const ours = { what: 'submit, one-item tasks', value: standing.value('ours'), unit: 'tasks/s' };
    return [
      figure({
        ...ours,
        to: 'graphile addJobs',
        ratio: standing.ratio('ours', 'graphile'),
        floor: 1.2,
        goal: 1.8,
      }),
      figure({ ...ours, to: 'pg-boss insert', ratio: standing.ratio('ours', 'pg-boss') }),
      figure({ what: 'graphile addJobs', value: standing.value('graphile'), unit: 'jobs/s' }),
      figure({ what: 'pg-boss insert', value: standing.value('pg-boss'), unit: 'jobs/s' }),
    ];
  },
};
