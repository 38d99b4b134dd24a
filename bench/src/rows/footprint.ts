import type postgres from 'postgres';
import { openProduct } from '../product-database.ts';
import { drain, submitNoops } from '../product-load.ts';
import { figure, type Row } from '../row.ts';

/** Measures what a task writes to the WAL and keeps on disk. */
export const footprint: Row = {
  name: 'footprint',
  title: 'WAL and disk of a one-item task (200 B), claimed and completed by 100',
  async measure(bench) {
    const tasks = bench.quick ? 3000 : 60_000;
    await using product = await openProduct(bench);
    const { store, sql } = product;
    const empty = await diskUse(sql);
    await submitNoops(store, tasks);
    const submitted = await diskUse(sql);
    await drain(store, 100, 2);
    const done = await diskUse(sql);
    return [
      figure({
        what: 'WAL, claim + complete',
        value: (done.wal - submitted.wal) / tasks,
        unit: 'B/task',
        floor: 1300,
        goal: 1150,
        better: 'less',
      }),
      figure({
        what: 'WAL, submit',
        value: (submitted.wal - empty.wal) / tasks,
        unit: 'B/task',
        better: 'less',
      }),
      figure({
        what: 'kept when done',
        value: (done.kept - empty.kept) / tasks,
        unit: 'B/task',
        better: 'less',
      }),
      ...done.tables.map(({ name, bytes }) =>
        figure({ what: `kept in ${name}`, value: bytes / tasks, unit: 'B/task', better: 'less' }),
      ),
    ];
  },
};

/** Measures the WAL position and the sizes of the tables. */
async function diskUse(sql: postgres.Sql) {
  const tables = await sql<{ name: string; bytes: number }[]>`
    select relname as name, pg_total_relation_size(oid)::float8 as bytes from pg_class
    where oid in ('items'::regclass, 'tasks'::regclass, 'leases'::regclass, 'results'::regclass) order by 1`;
  const [row] = await sql<{ wal: number }[]>`select (pg_current_wal_insert_lsn() - '0/0')::float8 as wal`;
  return {
    wal: row?.wal ?? 0,
    kept: tables.reduce((total, { bytes }) => total + bytes, 0),
    tables: [...tables],
  };
}
