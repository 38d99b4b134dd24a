import { RATE_WINDOW_SECONDS } from '@macbatch/core';
import { type SQL, sql } from 'drizzle-orm';

/** After this time, a count has decayed to zero. The limit prevents an underflow error in `exp`. */
const MAX_AGE_SECONDS = 12 * RATE_WINDOW_SECONDS;
/** Counts are truncated to thousandths of an item, so that a product of floats does not underflow either. */
const STEPS_PER_ITEM = 1000;

/** The weight now of items that were counted until `at`: it decays over `RATE_WINDOW_SECONDS`, see `measuredRate`. */
export function decayedItems(items: SQL, at: SQL): SQL {
  const ageSeconds = sql`least(greatest(extract(epoch from now() - ${at})::float8, 0), ${sql.raw(String(MAX_AGE_SECONDS))})`;
  const decayed = sql`${items} * exp(-${ageSeconds} / ${sql.raw(String(RATE_WINDOW_SECONDS))})`;
  const steps = sql.raw(String(STEPS_PER_ITEM));
  return sql`(trunc(${decayed} * ${steps}) / ${steps})`;
}
