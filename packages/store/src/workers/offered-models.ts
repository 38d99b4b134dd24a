import type { ConnectionPools } from '@macbatch/connection';
import { sql } from 'drizzle-orm';
import { workers } from '../database/schema.ts';
import { statement } from '../database/statement.ts';
import { alive } from './alive.ts';

/** A model alias that an alive worker offers. */
export interface OfferedModel {
  readonly name: string;
  /** When the first of these workers was seen first. */
  readonly firstSeenAt: Date;
}

interface ModelRow {
  readonly name: string;
  readonly first_seen_at: Date;
}

const readOfferedModels = statement<{ name: string | null }, ModelRow>(
  (arg) => sql`
  select model.name, min(${workers.firstSeenAt}) as first_seen_at
  from ${workers}
  cross join unnest(${workers.models}) as model (name)
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
  return rows.map(({ name: model, first_seen_at: firstSeenAt }) => ({ name: model, firstSeenAt }));
}
