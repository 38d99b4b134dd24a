import { HEARTBEAT_ALIVE_SECONDS } from '@macbatch/core';
import { type SQL, sql } from 'drizzle-orm';
import { workers } from '../database/schema.ts';

const aliveInterval = sql.raw(`interval '${HEARTBEAT_ALIVE_SECONDS} seconds'`);

/** W2: true of a worker that is alive. `worker` names a row of `workers`. The same rule as core's `isAlive`. */
export const alive = (worker: SQL = sql`${workers}`): SQL =>
  sql`(not ${worker}.offline and ${worker}.last_heartbeat_at > now() - ${aliveInterval})`;
