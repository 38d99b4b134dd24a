import { openProduct } from '../product-database.ts';
import { OFFERS, submitNoops } from '../product-load.ts';
import { figure, type Row } from '../row.ts';

const BATCH = 10;

/** Measures claims while another session has an old snapshot, so that dead index entries cannot be removed. */
export const heldSnapshot: Row = {
  name: 'held-snapshot',
  title: 'Claims of 10 while another session holds an old snapshot',
  async measure(bench) {
    const tasks = bench.quick ? 4000 : 100_000;
    await using product = await openProduct(bench, 1);
    const { store, sql } = product;
    await submitNoops(store, tasks);
    const session = await sql.reserve();
    await session`begin isolation level repeatable read`;
    await session`select count(*) from jobs`;
    const rates: number[] = [];
    for (let tenth = 0; tenth < 10; tenth += 1) {
      const started = performance.now();
      for (let claimed = 0; claimed < tasks / 10; claimed += BATCH) {
        const call = { worker: 'bench', boot: 'bench', limit: BATCH, offers: OFFERS, renews: true };
        const granted = await store.lease(call);
        if (granted.tasks.length !== BATCH)
          throw new Error(`a claim of ${BATCH} tasks got ${granted.tasks.length}`);
      }
      rates.push(tasks / 10 / ((performance.now() - started) / 1000));
      bench.progress(`tenth ${tenth + 1}: ${Math.round(rates.at(-1) ?? 0)} tasks/s`);
    }
    await session`rollback`;
    session.release();
    const [first = Number.NaN] = rates;
    const last = rates.at(-1) ?? Number.NaN;
    return [
      figure({
        what: `${tasks.toLocaleString('en')} tasks, last tenth`,
        value: last,
        unit: 'tasks/s',
        to: 'first tenth',
        ratio: last / first,
        floor: 0.6,
        goal: 1,
      }),
    ];
  },
};
