import { createStore } from '@macbatch/store';
import type postgres from 'postgres';
import { uuidv7 } from 'uuidv7';
import { median } from '../median.ts';
import { OFFERS, PAYLOAD } from '../product-load.ts';
import { type Bench, figure, type Row } from '../row.ts';

const BATCH = 10;

interface Growth {
  readonly done: number;
  readonly buffers: number | null;
  readonly rate: number;
  readonly cpu: number | null;
}

/** Measures the cost of a claim by the number of done tasks. */
export const claimGrowth: Row = {
  name: 'claim-growth',
  title: 'Claim of 10 with 100,000 pending, by tasks already done',
  async measure(bench) {
    const sizes = bench.quick ? [1000, 10_000, 50_000] : [10_000, 1_000_000, 5_000_000];
    const pending = bench.quick ? 3000 : 100_000;
    const points: Growth[] = [];
    for (const done of sizes) points.push(await measureClaims(bench, done, pending));
    const [first] = points;
    return points.flatMap((point, i) => {
      const name = `${point.done.toLocaleString('en')} done`;
      const against = i === 0 ? null : `${sizes[0]?.toLocaleString('en')} done`;
      const to = (value: number | null, base: number | null | undefined) =>
        against === null || value === null || base == null ? {} : { to: against, ratio: value / base };
      const judged = i === 0 ? {} : { floor: 1.3, goal: 1.1 };
      return [
        figure({
          what: `${name}: buffers a claim`,
          value: point.buffers,
          unit: 'buffers',
          ...to(point.buffers, first?.buffers),
          ...judged,
          better: 'less',
        }),
        figure({
          what: `${name}: CPU`,
          value: point.cpu,
          unit: 'CPU-s/100k',
          ...to(point.cpu, first?.cpu),
          better: 'less',
        }),
        figure({ what: `${name}: rate`, value: point.rate, unit: 'tasks/s', ...to(point.rate, first?.rate) }),
      ];
    });
  },
};

async function measureClaims(bench: Bench, done: number, pending: number): Promise<Growth> {
  await using database = await bench.server.database('product');
  bench.progress(`writing ${done} done tasks`);
  await fillTables(database.sql, done, pending);
  const claimOne = async (url: string, times: number) => {
    const store = createStore({ url, connections: 1 });
    try {
      const call = { worker: 'bench', boot: 'bench', limit: BATCH, offers: OFFERS, renews: true };
      for (let n = 0; n < times; n += 1) {
        const { tasks } = await store.lease(call);
        if (tasks.length !== BATCH) throw new Error(`a claim of ${BATCH} tasks got ${tasks.length}`);
      }
    } finally {
      await store.close();
    }
  };
  const times = bench.quick ? 60 : 1000;
  const buffers = await bench.server.buffersOf(database.url, (url) => claimOne(url, 20));
  const cpu = await bench.server.cpuSeconds();
  const started = performance.now();
  await claimOne(database.url, times);
  const rate = (times * BATCH) / ((performance.now() - started) / 1000);
  const after = await bench.server.cpuSeconds();
  return {
    done,
    buffers: buffers.length === 0 ? null : median(buffers.slice(10)),
    rate,
    cpu: cpu === null || after === null ? null : ((after - cpu) / (times * BATCH)) * 100_000,
  };
}

async function fillTables(sql: postgres.Sql, done: number, pending: number): Promise<void> {
  const id = uuidv7();
  const all = done + pending;
  await sql`
    insert into jobs (id, job_type, model, params, shard_size, retry_on, item_count, task_count, body_digest)
    values (${id}, 'noop', 'noop', '{}', 1, 'attempts', ${all}, ${all}, '')`;
  await sql`
    insert into items (job_id, seq, item_id, payload)
    select ${id}::uuid, seq, 'item-' || seq, ${PAYLOAD}::text from generate_series(${done}::int, ${all - 1}::int) as seq`;
  await sql`
    insert into tasks (job_id, first_seq, item_count, outcome_count, status, attempts, retry_on, assigned_worker)
    select ${id}::uuid, n, 1, case when n < ${done}::int then 1 else 0 end, case when n < ${done}::int then 'done' else 'pending' end,
      case when n < ${done}::int then 1 else 0 end, 'attempts', case when n < ${done}::int then 'bench' end
    from generate_series(0, ${all - 1}::int) as n order by n`;
  await sql`insert into job_tallies (job_id, worker_id, pending, done) values (${id}, '', ${pending}, ${done})`;
  await sql`vacuum analyze`;
}
