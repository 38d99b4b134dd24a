import { createStore } from '@macbatch/store';
import type postgres from 'postgres';
import { OFFERS, submitNoops } from '../product-load.ts';
import { figure, type Row } from '../row.ts';

const BATCH = 100;
const TIMES = 10;

/** Measures renewals of leases: their rate, their WAL, and whether they are heap-only updates, which change no index. */
export const renewals: Row = {
  name: 'renewals',
  title: 'Renewals of leases, by 100',
  async measure(bench) {
    const leases = bench.quick ? 1000 : 20_000;
    await using database = await bench.server.database('product');
    const leaser = createStore({ url: database.url });
    await submitNoops(leaser, leases);
    const leased: { taskId: string; attempt: number }[] = [];
    while (leased.length < leases) {
      const call = { worker: 'bench', boot: 'bench', limit: BATCH, offers: OFFERS, renews: true };
      const { tasks } = await leaser.lease(call);
      leased.push(...tasks.map(({ taskId, attempt }) => ({ taskId, attempt })));
    }
    await leaser.close(); // a backend writes its statistics when it ends
    const before = await updateStatistics(database.sql);
    const renewer = createStore({ url: database.url });
    const started = performance.now();
    for (let time = 0; time < TIMES; time += 1) {
      for (let from = 0; from < leased.length; from += BATCH) {
        const lost = await renewer.renew('bench', 'boot', leased.slice(from, from + BATCH));
        if (lost.some((each) => each !== null)) throw new Error('a renewal was refused');
      }
      bench.progress(`renewed ${time + 1} of ${TIMES} times`);
    }
    const seconds = (performance.now() - started) / 1000;
    await renewer.close();
    const after = await updateStatistics(database.sql);
    return [
      figure({
        what: 'heap-only (HOT) updates',
        value: (100 * (after.hot - before.hot)) / (after.all - before.all),
        unit: '%',
        floor: 75,
        goal: 90,
      }),
      figure({
        what: 'WAL a renewal',
        value: (after.wal - before.wal) / (leases * TIMES),
        unit: 'B',
        better: 'less',
      }),
      figure({ what: 'renewals', value: (leases * TIMES) / seconds, unit: 'tasks/s' }),
    ];
  },
};

async function updateStatistics(sql: postgres.Sql): Promise<{ all: number; hot: number; wal: number }> {
  // A backend that has just ended may still be writing its statistics.
  await new Promise((resolve) => setTimeout(resolve, 500));
  const [row] = await sql<{ all: number; hot: number; wal: number }[]>`
    select n_tup_upd::float8 as all, n_tup_hot_upd::float8 as hot, (pg_current_wal_insert_lsn() - '0/0')::float8 as wal
    from pg_stat_user_tables where relname = 'tasks'`;
  if (row === undefined) throw new Error('there are no statistics of the table tasks');
  return row;
}
