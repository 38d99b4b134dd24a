import { sql } from 'drizzle-orm';
import { customType, timestamp } from 'drizzle-orm/pg-core';

/** A timestamptz by the database's clock. Drizzle's plain `timestamp` has no zone: never use it. */
export const moment = (name: string) => timestamp(name, { withTimezone: true, mode: 'string' });

export const bytea = customType<{ data: Buffer }>({ dataType: () => 'bytea' });

/** The values as SQL literals, for a check constraint. */
export const literals = (values: readonly string[]) =>
  sql.raw(values.map((value) => `'${value}'`).join(', '));
