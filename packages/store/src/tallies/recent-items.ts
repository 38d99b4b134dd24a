import { RATE_WINDOW_SECONDS } from '@macbatch/core';
import { type SQL, sql } from 'drizzle-orm';

/** Where next to nothing is left: `exp` and a product of floats may not become too small for one. */
const LONGEST_SECONDS = 12 * RATE_WINDOW_SECONDS;
const KEPT_PER_ITEM = 1000;

/** Items that were counted until `at`, as much as they still count now: see `measuredPace`. */
export function faded(items: SQL, at: SQL): SQL {
  const seconds = sql`least(greatest(extract(epoch from now() - ${at})::float8, 0), ${sql.raw(String(LONGEST_SECONDS))})`;
  const left = sql`${items} * exp(-${seconds} / ${sql.raw(String(RATE_WINDOW_SECONDS))})`;
  return sql`(trunc(${left} * ${sql.raw(String(KEPT_PER_ITEM))}) / ${sql.raw(String(KEPT_PER_ITEM))})`;
}
