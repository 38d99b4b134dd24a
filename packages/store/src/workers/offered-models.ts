import type { ConnectionPools } from '@macbatch/connection';
import { sql } from 'drizzle-orm';
import { workers } from '../database/schema.ts';
import { statement } from '../database/statement.ts';
import { alive } from './alive.ts';

/** A model alias that an alive worker offers. */
export interface OfferedModel {
  readonly name: string;
  /** Work types of the workers that offer it, each once. A worker may offer some of them with other models only. */
  readonly workTypes: readonly string[];
  /** When the first of these workers was seen first. */
  readonly firstSeenAt: Date;
}

interface ModelRow {
  readonly name: string;
  readonly work_types: readonly string[];
  readonly first_seen_at: Date;
}

const readOfferedModels = statement<{ name: string | null }, ModelRow>(
  (arg) => sql`
  select model.name, array_agg(distinct work_type order by work_type) as work_types, min(${workers.firstSeenAt}) as first_seen_at
  from ${workers}
  cross join unnest(${workers.models}) as model (name)
  cross join unnest(${workers.jobTypes}) as work_type
  where ${alive()} and (${arg.name('text')} is null or model.name = ${arg.name('text')})
  group by model.name
  order by model.name collate "C"`,
);

/** Reads the models that alive workers offer, by name. With `name`, only that one. */
export async function offeredModels(
  { durable }: ConnectionPools,
  name: string | null = null,
): Promise<OfferedModel[]> {
  const rows = await readOfferedModels.run(durable, { name });
  return rows.map((row) => ({
    name: row.name,
    workTypes: row.work_types,
    firstSeenAt: row.first_seen_at,
  }));
}
